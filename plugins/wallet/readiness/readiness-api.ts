/** Admin API endpoints that check whether chain, wallet and providers are ready to store objects. */

import { configSections, defineEndpoint, documented } from '#kernel'
import { type } from '#kernel/schema'
import { type Contributed, settingSchema } from '#kernel/system'
import { chainSection } from '../settings.ts'

const checkIds = [
  'config_private_key',
  'config_rpc_url',
  'config_network',
  'config_default_copies',
  'sdk_client',
  'private_networks',
  'network_match',
  'contract_versions',
  'wallet_fil_gas',
  'wallet_usdfc',
  'payment_account',
  'payment_runway',
  'providers',
  'storage_cost',
  'payment_funding',
  'fwss_approval',
] as const

const status = type("'ready' | 'warning' | 'blocked' | 'unknown'")

const check = type({
  id: type.enumerated(...checkIds),
  status,
  message: 'string',
  /** Next step of the operator. */
  'action?': 'string',
  /** Missing deposit in 10^-18 USDFC. */
  'required_usdfc?': 'string',
})

const { network, rpc_url, default_copies } = chainSection.keys
/** A setting of the section that another plugin owns. */
const observed = (key: string) => (contributed: Contributed) => {
  const setting = contributed(configSections).find(({ path }) => path === 'chain.observability')?.keys[key]
  return setting ? settingSchema(setting) : {}
}
type Documented = Parameters<typeof documented>[0]
/** Values are checked as settings, with `settings_invalid`. */
const text = (schema: Documented) => type('string').narrow(documented(schema))
const number = (schema: Documented) => type('number').narrow(documented(schema))

const readiness = type({
  /** Worst status of the checks: blocked, then warning, then unknown. */
  status,
  /** runtime: the running service; draft: unsaved settings. */
  mode: "'runtime' | 'draft'",
  checked_at: 'string',
  checks: check.array(),
  /** Failed reads with their reason: timeout, RPC failure, contract refused, or configuration. */
  'partial_errors?': {
    'sdk_client?': 'string',
    'fil_gas_balance?': 'string',
    'usdfc_wallet_balance?': 'string',
    'usdfc_account?': 'string',
    'storage_info?': 'string',
    'storage_cost?': 'string',
  },
})

export const chainReadiness = defineEndpoint({
  method: 'GET',
  path: '/api/v1/chain/readiness',
  summary: 'Check whether the running service can store objects: key, network, balances, providers, deposit and approval',
  answer: readiness,
})

export const chainPreflight = defineEndpoint({
  method: 'POST',
  path: '/api/v1/chain/readiness/preflight',
  role: 'operator',
  summary: 'Run the readiness checks with unsaved settings, also in setup mode',
  audit: 'names',
  body: type({
    'chain?': {
      'network?': text(settingSchema(network)),
      'rpc_url?': text(settingSchema(rpc_url)),
      'with_cdn?': 'boolean',
      'allow_private_networks?': 'boolean',
      'default_copies?': number(settingSchema(default_copies)),
      'observability?': {
        'interval?': text(observed('interval')),
        'timeout?': text(observed('timeout')),
        'concurrency?': number(observed('concurrency')),
      },
    },
  }),
  requireJsonType: true,
  bytesMax: 64 * 1024,
  answer: readiness,
  refusals: ['settings_invalid'],
})

export type Readiness = typeof readiness.infer
export type ReadinessCheck = typeof check.infer
export type ReadinessStatus = typeof status.infer
export type Preflight = typeof chainPreflight.body.infer
