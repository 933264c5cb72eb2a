// What a project's earlier work left, and prompts to it: each with what it is about, or with nothing.
export interface ListenerHandle {
  readonly id: string;
  readonly kind: "memory" | "user" | "assistant";
  readonly text: string;
}

export const LEFT: readonly ListenerHandle[] = [
  {
    id: "cents",
    kind: "memory",
    text: "Prices are stored as integers in cents (`price_cents`); a float never reaches the database.",
  },
  {
    id: "pnpm",
    kind: "memory",
    text: "Use pnpm, not npm: the lock file is pnpm-lock.yaml and CI fails on package-lock.json.",
  },
  {
    id: "staging-port",
    kind: "memory",
    text: "The staging database listens on port 5433, behind the tunnel that `bin/tunnel` opens.",
  },
  {
    id: "singular",
    kind: "memory",
    text: "Tables are named in the singular: order, order_line, customer.",
  },
  {
    id: "webhook-retry",
    kind: "memory",
    text: "Stripe webhooks are retried for three days, so handlers must be idempotent by event id.",
  },
  {
    id: "cart-limit",
    kind: "memory",
    text: "A cart holds 80 items at most; beyond that checkout asks the user to split the order.",
  },
  {
    id: "feature-flags",
    kind: "memory",
    text: "Feature flags live in LaunchDarkly; the local override file is flags.local.json.",
  },
  {
    id: "no-mocks",
    kind: "memory",
    text: "Integration tests run against a real Postgres in Docker; the repository layer is never mocked.",
  },
  {
    id: "tax",
    kind: "memory",
    text: "VAT is rounded per order line, half up, as the accountant asked in March.",
  },
  {
    id: "deploy-freeze",
    kind: "memory",
    text: "No deploys to production on Friday after 14:00; the pipeline refuses them without override.",
  },
  {
    id: "image-cdn",
    kind: "memory",
    text: "Product images go through the CDN at img.shop.test with the width in the query string.",
  },
  {
    id: "search-engine",
    kind: "memory",
    text: "Product search uses Meilisearch with typo tolerance off for SKUs.",
  },
  {
    id: "flaky",
    kind: "assistant",
    text: "The checkout spec was flaky because the clock in the session token test was not frozen; I froze it with vi.useFakeTimers and it passed 200 runs.",
  },
  {
    id: "memory-leak",
    kind: "assistant",
    text: "The worker's memory grew because each job registered a listener on the shared Redis client. I moved the subscription out of the handler; usage stays at 180 MB.",
  },
  {
    id: "cors",
    kind: "assistant",
    text: "The preflight failed since the gateway strips the Origin header; CORS is now answered by nginx and no longer by the API.",
  },
  {
    id: "invoice-pdf",
    kind: "assistant",
    text: "Invoice PDFs are rendered with Puppeteer in a separate container, as the Alpine image lacks the fonts.",
  },
  {
    id: "migration-42",
    kind: "assistant",
    text: "Migration 0042 adds the index on order.created_at concurrently; it took nine minutes on staging.",
  },
  {
    id: "i18n",
    kind: "assistant",
    text: "German translations are missing for the returns flow: 31 keys under returns.* fall back to English.",
  },
  {
    id: "rate-limit",
    kind: "assistant",
    text: "The rate limiter counts per API key in a sliding window of 60 seconds; burst is 20 requests.",
  },
  {
    id: "refund-decision",
    kind: "user",
    text: "We decided that refunds are negative payments in the same table, not a table of their own.",
  },
  {
    id: "safari",
    kind: "user",
    text: "Safari 15 users can't open the size guide; the dialog element is not supported there, use the polyfill.",
  },
  {
    id: "naming",
    kind: "user",
    text: "Call it a basket nowhere: customers and code both say cart.",
  },
  {
    id: "export",
    kind: "user",
    text: "The warehouse wants the nightly export as CSV with semicolons, in Windows-1252, by SFTP.",
  },
  {
    id: "design",
    kind: "user",
    text: "Buttons follow the Figma file 'Shop kit v3'; the primary colour is #0B6E4F.",
  },
];

export interface RecordedPrompt {
  readonly prompt: string;
  /** Ids of what helps; none: a hint would be wrong. */
  readonly about: readonly string[];
}

export const PROMPTS: readonly RecordedPrompt[] = [
  {
    prompt:
      "Add a column for the discount price to the products table, how do we store prices in the database?",
    about: ["cents"],
  },
  { prompt: "Install zod with pnpm or npm and commit the lock file", about: ["pnpm"] },
  {
    prompt: "Connect psql to the staging database, which port was it again?",
    about: ["staging-port"],
  },
  {
    prompt:
      "Create the table for customer addresses; how are tables named here, singular or plural?",
    about: ["singular"],
  },
  {
    prompt: "Write a handler for the Stripe webhooks event charge.refunded",
    about: ["webhook-retry", "refund-decision"],
  },
  {
    prompt: "How many items may a cart hold before checkout splits the order?",
    about: ["cart-limit"],
  },
  {
    prompt: "Turn on a feature flag locally, where is the override file for flags?",
    about: ["feature-flags"],
  },
  {
    prompt: "Write integration tests for the order repository, should I mock Postgres?",
    about: ["no-mocks"],
  },
  { prompt: "The VAT on an order line is one cent off, how is it rounded?", about: ["tax"] },
  { prompt: "Can I deploy to production on Friday evening?", about: ["deploy-freeze"] },
  { prompt: "Serve product images in width 640 through the CDN", about: ["image-cdn"] },
  {
    prompt: "Product search finds the wrong SKUs because of typo tolerance",
    about: ["search-engine"],
  },
  {
    prompt: "The checkout spec is flaky again, something with the session token clock",
    about: ["flaky"],
  },
  {
    prompt: "Memory of the worker keeps growing, look at the Redis listeners",
    about: ["memory-leak"],
  },
  {
    prompt: "The preflight request fails with a CORS error at the gateway, Origin header missing",
    about: ["cors"],
  },
  { prompt: "Fonts are missing in the invoice PDF that Puppeteer renders", about: ["invoice-pdf"] },
  {
    prompt: "How long did the migration for the created_at index take on staging?",
    about: ["migration-42"],
  },
  { prompt: "Translate the missing German keys of the returns flow", about: ["i18n"] },
  { prompt: "Raise the burst of the rate limiter for API keys", about: ["rate-limit"] },
  {
    prompt: "Where are refunds stored, do payments have a table of their own for refunds?",
    about: ["refund-decision"],
  },
  { prompt: "The size guide dialog doesn't open in Safari", about: ["safari"] },
  {
    prompt:
      "The nightly export for the warehouse should include the SKU, what encoding does the CSV have?",
    about: ["export"],
  },
  { prompt: "Make the primary button colour the one of the Figma kit", about: ["design"] },
  { prompt: "continue", about: [] },
  { prompt: "Fix the failing test", about: [] },
  { prompt: "Commit this and push", about: [] },
  { prompt: "Thanks, looks good. Now write the pull request description.", about: [] },
  { prompt: "Rename the variable tmp to total in src/report.ts", about: [] },
  { prompt: "Explain what this regular expression does", about: [] },
  { prompt: "Update the README with the new command line options", about: [] },
  { prompt: "Refactor this function into smaller pieces and add types", about: [] },
  { prompt: "Why does TypeScript complain that the property may be undefined?", about: [] },
  { prompt: "Upgrade eslint to version 9 and migrate the configuration to flat files", about: [] },
  { prompt: "Add a dark mode toggle to the account settings page", about: [] },
  { prompt: "Write a script that deletes branches which are merged", about: [] },
  { prompt: "The login form should show an error under the password field", about: [] },
  { prompt: "Add pagination to the list of customers in the admin area", about: [] },
  { prompt: "Replace moment with date-fns everywhere", about: [] },
  { prompt: "Show a spinner while the order history loads", about: [] },
  { prompt: "Generate fake customers and orders for the demo environment", about: [] },
  { prompt: "Make the worker log in JSON with a request id", about: [] },
  { prompt: "The order confirmation email is sent twice", about: [] },
  { prompt: "Sort the cart lines by name instead of by time", about: [] },
  { prompt: "Cache the product list for a minute in the API", about: [] },
  { prompt: "Send an event to analytics when a user opens the size guide", about: [] },
  { prompt: "Add a button that exports the current report as an Excel file", about: [] },
  { prompt: "Add a health check endpoint to the API container", about: [] },
  { prompt: "Write a unit test for the colour picker's keyboard navigation", about: [] },
  { prompt: "Drop the column legacy_id from the customer table", about: [] },
  { prompt: "Set up GitHub Actions to run the tests on each pull request", about: [] },
  {
    prompt:
      "Draw a diagram of the staging and production environments with the database in the middle",
    about: [],
  },
  {
    prompt: "The pipeline badge in the README points to the production branch, use main",
    about: [],
  },
  { prompt: "Delete the old product images of 2019 from the bucket", about: [] },
  { prompt: "Sort the search results of products by newest first", about: [] },
  { prompt: "Write a Docker compose file with Postgres and Redis for new colleagues", about: [] },
  { prompt: "Let customers print an order with all its lines", about: [] },
  { prompt: "Show the customer's cart in the header with a badge", about: [] },
  { prompt: "Add a filter by API key to the admin's table of requests", about: [] },
  { prompt: "The invoice list is slow, paginate it", about: [] },
  { prompt: "Add a German flag icon to the language menu", about: [] },
  { prompt: "Add an index page for the blog", about: [] },
  { prompt: "The worker container should restart on failure", about: [] },
  { prompt: "Let a user delete a payment method in the account", about: [] },
  { prompt: "Mock the clock in the newsletter's spec", about: [] },
  { prompt: "Add the order number to the checkout's success page", about: [] },
  { prompt: "Rename the CI job that checks the lock file to integrity", about: [] },
  { prompt: "Put the size of an image below it in the media library", about: [] },
  { prompt: "Write down how to open a tunnel for the warehouse's printer", about: [] },
];
