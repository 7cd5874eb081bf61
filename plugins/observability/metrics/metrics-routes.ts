import { defineEndpoint, defineRoutes, defineService, serveEndpoint } from '#kernel'
import type { MetricsPage } from './metrics-page.ts'

/** Loads the page at the first scrape. */
export const metricsPage = defineService<() => Promise<MetricsPage>>('observability.metrics-page')

const showMetrics = defineEndpoint({
  method: 'GET',
  path: '/metrics',
  summary: 'Metrics in the text format of Prometheus',
  media: 'text/plain',
})

export const metricsRoutes = defineRoutes({
  name: 'metrics',
  uses: { metricsPage },
  endpoints: [showMetrics],
  register(app, { metricsPage }) {
    serveEndpoint(app, showMetrics, async ({ reply }) => {
      const { render, contentType } = await metricsPage()
      const text = await render()
      reply.type(contentType)
      return text
    })
  },
})
