// Patterns of keys and tokens, by the services that issue them. Pure.

export const ISSUED: readonly RegExp[] = [
  // These are keys of OpenAI, Anthropic and others; Stripe and its like use an underscore.
  /\b(?:sk|pk|rk)-[\w-]{16,}/g,
  /\b(?:sk|pk|rk|whsec)_(?:live_|test_)?[A-Za-z0-9+/]{16,}/g,
  // GitHub, GitLab.
  /\b(?:gh[a-z]_|github_pat_)\w{20,}/g,
  /\bgl(?:pat|dt|rt|ft|soat|cbt|ptt|agent|imt|oas|ffct)-[\w.-]{16,}/g,
  // Slack, Google, AWS (temporary keys too), JSON web tokens.
  /\bx(?:ox[a-z]|app)-[\w-]{10,}|\bhooks\.slack\.com\/(?:services|workflows)\/[\w/]{20,}/g,
  /\b(?:AIza[\w-]{30,}|GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,})/g,
  /\b(?:A3T[A-Z0-9]|AKIA|ASIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  // npm, Hugging Face, Groq, Replicate, xAI, Vercel, Linear, Notion, DigitalOcean, Shopify, Grafana.
  /\b(?:npm|hf|gsk|r8|xai|vercel|vc[a-z]|lin_api|ntn|do[opr]_v1|shp(?:at|ca|pa|ss)|gl(?:c|sa)|rubygems|pul)_[A-Za-z0-9+/=_]*[A-Za-z0-9]{16,}[\w+/=]*/g,
  /\bsecret_[A-Za-z0-9]{40,}/g,
  // Docker, Figma, Perplexity, Postman, New Relic, PyPI.
  /\b(?:dckr_[a-z]+|fig[a-z])_[\w-]{20,}|\b(?:pplx|PMAK|NRAK|AGE-SECRET-KEY)-[\w-]{20,}|\bpypi-[\w-]{40,}/g,
  // 1Password, HashiCorp Vault (the older form has no typical beginning), Databricks, SendGrid.
  /\bops_eyJ[\w+/=-]{40,}/g,
  /\bhv[sbr]\.[\w-]{24,}|\b[sbr]\.(?=[A-Za-z]*\d)[A-Za-z0-9]{24}\b/g,
  /\bdapi[a-f0-9]{32}/g,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  /\beyJrIjoi[\w+/=-]{20,}/g,
  // Telegram, Discord (bots and webhooks), Twilio, Mailgun, Mailchimp.
  /\b(?:bot)?\d{8,10}:[A-Za-z0-9_-]{35}(?![\w-])/g,
  /\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])|\bdiscord(?:app)?\.com\/api\/webhooks\/\d{10,25}\/[\w-]{20,}/g,
  /\bSK[0-9a-f]{32}\b|\b(?:key-[0-9a-f]{32}|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}|[0-9a-f]{32}-us\d{1,2})\b/g,
  // Tailscale, Sentry, Atlassian, Bitbucket, Doppler, Supabase, PlanetScale, Netlify, Square, Facebook, Airtable.
  /\btskey-[a-z]+-[\w-]{16,}|\bsntry[su]_[\w+/=-]{30,}|\bAT(?:ATT3x|BB)[\w+/=-]{20,}|\bdp\.(?:pt|st|ct|sa)\.\w{30,}/g,
  /\b(?:sbp|nfp|rnd|pscale_[a-z]+|bkua|CCIPAT)_[\w.-]{20,}|\bsq0[a-z]{3}-[\w-]{20,}|\bEAA[A-Z][A-Za-z0-9]{30,}|\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}/g,
  // Resend.
  /\bre_(?=\w*\d)[A-Za-z0-9]{6,12}_[A-Za-z0-9]{16,}/g,
  // Azure's keys of storage accounts; a package's digest is as long.
  /(?<![\w+/]|\bsha512-)[A-Za-z0-9+/]{86}==/g,
];

export const PRIVATE_KEY =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;
