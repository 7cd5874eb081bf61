import { defineEndpoint, defineRoutes, serveEndpoint } from '#kernel'
import { requestIdentity } from '#kernel/system'
import { eventHub } from './event-hub.ts'

export const watchEvents = defineEndpoint({
  method: 'GET',
  path: '/api/v1/events',
  summary: 'Stream server-sent events without replay; clients reload after each connect',
  media: 'text/event-stream',
  deadlineMs: 'none',
  refusals: ['event_streams_exhausted'],
})

export const eventRoutes = defineRoutes({
  name: 'events',
  uses: { eventHub },
  endpoints: [watchEvents],
  register(app, { eventHub }) {
    serveEndpoint(app, watchEvents, async ({ request, reply }) => {
      const identity = requestIdentity(request)
      const stream = eventHub.watch(identity.kind === 'session' ? identity.isCurrent : () => true)
      // The last one is for nginx, which would hold frames back to fill a buffer.
      reply.headers({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
      return stream
    })
    // Optional: addresses that only answer `setup_mode` are registered without services.
    app.addHook('preClose', async () => eventHub?.finish())
  },
})
