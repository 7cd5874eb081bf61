import { defineRoutes, defineService } from '#kernel'
import type { MetricsPage } from './metrics-page.ts'

export const metricsPage = defineService<MetricsPage>('observability.metrics-page')

/** GET /metrics, in the text format of Prometheus. */
export const metricsRoutes = defineRoutes({
  name: 'metrics',
  uses: { metricsPage },
  register(app, { metricsPage }) {
    app.get('/metrics', async (_request, reply) => reply.type(metricsPage.contentType).send(await metricsPage.render()))
  },
})
