import { clock, defineRoutes, optional, serveEndpoint } from '#kernel'
import { systemState } from '#kernel/system'
import { chainClient } from '#plugins/wallet'
import { describeSystem } from './describe-system.ts'
import { systemInfo, systemPlugins } from './system-api.ts'

export const systemRoutes = defineRoutes({
  name: 'system',
  uses: { clock, systemState, chain: optional(chainClient) },
  endpoints: [systemInfo, systemPlugins],
  register(app, { clock, systemState, chain }) {
    serveEndpoint(app, systemInfo, async () => describeSystem({ state: systemState, nowMs: clock.now(), chain }))
    serveEndpoint(app, systemPlugins, async () =>
      systemState.plugins.map(({ id, enabled, requires, services, startMs }) => ({
        id,
        enabled,
        requires: [...requires],
        services: [...services],
        start_ms: startMs,
      })),
    )
  },
})
