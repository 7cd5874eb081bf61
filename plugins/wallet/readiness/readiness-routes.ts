import { type Clock, clock, defineRoutes, formatTime, log, serveEndpoint, singleFlight } from '#kernel'
import { type Contributions, configState, contributions } from '#kernel/system'
import { toSpendingLimits } from '../chain/spending-policy.ts'
import { chainClient, chainSettings, type KnownProviders, providerKnowledge, signer, usableProviders } from '../contract.ts'
import { spendingSection } from '../settings.ts'
import { judgeReadiness } from './judge-readiness-policy.ts'
import { chainPreflight, chainReadiness, type Readiness } from './readiness-api.ts'
import { judgePrivateNetworks, type ReadinessFacts } from './readiness-facts.ts'

/** Served also in setup mode, so that operators can check settings before the restart. */
export const preflightRoutes = defineRoutes({
  name: 'chain-preflight',
  modes: ['setup', 'full'],
  uses: { configState, contributions, clock, log },
  endpoints: [chainPreflight],
  register(app, { configState, contributions, clock, log }) {
    serveEndpoint(app, chainPreflight, async ({ body }) => {
      const { readDraft } = await import('./read-draft.ts')
      const { checkDraft } = await import('./check-draft.ts')
      return describe('draft', await checkDraft(readDraft(configState, body), { log, usableProviders: counterOf(contributions) }), clock)
    })
  },
})

export const readinessRoutes = defineRoutes({
  name: 'chain-readiness',
  uses: { chain: chainClient, signer, settings: chainSettings, spending: spendingSection.settings, contributions, clock },
  endpoints: [chainReadiness],
  register(app, { chain, signer, settings, spending, contributions, clock }) {
    async function check(): Promise<Readiness> {
      const { default_copies: defaultCopies, allow_private_networks: allowPrivateNetworks } = settings
      const { readReadiness } = await import('./read-readiness.ts')
      const { approval } = toSpendingLimits(spending, chain.network)
      const deps = { chain, owner: signer.address, defaultCopies, allowPrivateNetworks, withCdn: settings.with_cdn, approval }
      const known = () => knownBy(contributions)
      const facts = await readReadiness({ ...deps, usableProviders: counterOf(contributions), knownProviders: known })
      // The settings of a running service were checked at its start.
      return describe(
        'runtime',
        { unusable: new Set(), defaultCopies, privateNetworks: judgePrivateNetworks(settings), chain: facts },
        clock,
      )
    }

    // Dashboards poll.
    serveEndpoint(app, chainReadiness, singleFlight(check))
  },
})

const counterOf = ({ to }: Contributions) => to(usableProviders)[0]?.item

async function knownBy({ to }: Contributions): Promise<Required<KnownProviders>> {
  const known = await Promise.all(to(providerKnowledge).map(({ item, services }) => item.read(services)))
  return Object.assign({ silent: new Set<string>(), inUse: new Set<string>() }, ...known)
}

function describe(mode: Readiness['mode'], facts: ReadinessFacts, clock: Clock): Readiness {
  const { status, ...verdict } = judgeReadiness(facts)
  return { status, mode, checked_at: formatTime(clock.now()), ...verdict }
}
