/** Writes docs/reference/metrics.md: every metric family that the plugins contribute. */
import type { MetricCollector } from '#kernel/system'

const head = `# Metrics

\`GET /metrics\` on the Admin listener, in the text format of Prometheus; it needs HTTP Basic authentication or a session cookie and is absent
in setup mode. Counters and histograms start at 0 with the process. The page also has the \`process_\` and \`nodejs_\` metrics of
prom-client, and \`svc_metrics_failures_total\` (label \`metric\`), which counts the times a family could not be collected.
This page is written by \`npm run docs\`.

[Monitoring](../guide/monitoring.md) says how to scrape it, and has a Grafana dashboard and alert rules.

| Name | Type | Labels | Meaning |
|---|---|---|---|
`

export function writeMetricsPage(families: readonly MetricCollector[]): string {
  const rows = [...families].sort((a, b) => a.name.localeCompare(b.name, 'en')).map(writeRow)
  return `${head}${rows.join('\n')}\n`
}

function writeRow({ name, type, labels, help, buckets = [] }: MetricCollector): string {
  const bounds = buckets.length === 0 ? '' : ` Bucket bounds: ${buckets.join(', ')}.`
  const named = labels.map((label) => `\`${label}\``).join(', ')
  return `| \`${name}\` | ${type} | ${named || '–'} | ${`${help}${bounds}`.replaceAll('|', '\\|')} |`
}
