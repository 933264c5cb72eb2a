/** What the demo's page was made of. */
export function parseReportData(page: string): unknown {
  const [, data] = /id="report">(.*?)<\/script>/s.exec(page) ?? [];
  return JSON.parse(data ?? "null");
}
