import { clock, defineRoutes, serveEndpoint } from '#kernel'
import { providers } from '#plugins/providers'
import { providerDependences } from '#plugins/replication'
import { chainSettings, funds } from '#plugins/wallet'
import { describeWhatIf } from './describe-what-if.ts'
import { showWhatIf } from './what-if-api.ts'

export const whatIfRoutes = defineRoutes({
  name: 'storage-what-if',
  uses: { clock, dependences: providerDependences, providers, funds, settings: chainSettings },
  endpoints: [showWhatIf],
  register(app, deps) {
    serveEndpoint(app, showWhatIf, ({ query }) => describeWhatIf(deps, query.provider_id))
  },
})
