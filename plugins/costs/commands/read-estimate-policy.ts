import { requireWhole, usageError } from '#cli'
import type { CostPolicy } from '#plugins/wallet'
import type { EstimateRequest } from '../cost/cost-api.ts'

interface EstimateFlags {
  readonly estimate?: string
  readonly bucket?: string
  readonly copies?: number
  readonly objects?: number
  readonly bytes?: number
  readonly dataSet?: number
  readonly amount?: string
}

const copiesMax = 8
const objectsMax = 1_000_000_000

/** `--estimate` with the flags of its kind as a request. Throws CommandError with exit code 2. */
export function readEstimate(flags: Readonly<Record<string, unknown>>, { parseUsdfc }: Pick<CostPolicy, 'parseUsdfc'>): EstimateRequest {
  const given = flags as EstimateFlags
  const { estimate = '', copies, objects, bytes } = given
  requireWhole('--copies', copies, copiesMax)
  requireWhole('--objects', objects, objectsMax)
  requireWhole('--bytes', bytes, Number.MAX_SAFE_INTEGER)
  function need<K extends keyof EstimateFlags>(name: K, flag: string): NonNullable<EstimateFlags[K]> {
    const value = given[name]
    if (value === undefined) throw usageError(`--estimate ${estimate} needs ${flag}`)
    return value as NonNullable<EstimateFlags[K]>
  }
  switch (estimate) {
    case 'new-bucket':
      return { kind: 'new_bucket', ...(copies === undefined ? {} : { copies }) }
    case 'raise-target':
      return { kind: 'raise_target', bucket: need('bucket', '--bucket'), copies: need('copies', '--copies') }
    case 'upload':
      return { kind: 'upload', bucket: need('bucket', '--bucket'), objects: need('objects', '--objects'), bytes: need('bytes', '--bytes') }
    case 'replacement':
      return { kind: 'replacement', data_set_id: need('dataSet', '--data-set') }
    case 'fund':
    case 'withdraw': {
      const amount = parseUsdfc(need('amount', '--amount'))
      if (!amount.isValid) throw usageError(`--amount ${amount.reason}`)
      return { kind: estimate, amount: String(amount.baseUnits) }
    }
    case 'approve':
      return { kind: 'approve' }
    default:
      return { kind: 'speed_test' }
  }
}
