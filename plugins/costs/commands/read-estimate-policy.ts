import { usageError } from '#cli'
import type { CostPolicy } from '#plugins/wallet'
import type { EstimateRequest } from '../cost/cost-api.ts'

export interface EstimateFlags {
  readonly estimate: string | undefined
  readonly bucket: string | undefined
  readonly copies: number | undefined
  readonly objects: number | undefined
  readonly bytes: number | undefined
  readonly dataSet: number | undefined
  readonly amount: string | undefined
}

/** `--estimate` with the flags of its kind as a request. Throws CommandError with exit code 2. */
export function readEstimate(given: EstimateFlags, { parseUsdfc }: Pick<CostPolicy, 'parseUsdfc'>): EstimateRequest {
  const { estimate = '', copies } = given
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
