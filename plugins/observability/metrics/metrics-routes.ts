import { defineEndpoint, defineRoutes, defineService, serveEndpoint } from '#kernel'
import type { MetricsPage } from './metrics-page.ts'

export const metricsPage = defineService<MetricsPage>('observability.metrics-page')

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
      const page = await metricsPage.render()
      reply.type(metricsPage.contentType)
      return page
    })
  },
})
