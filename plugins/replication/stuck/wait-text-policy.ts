/** Why tasks wait, in words of operators. Pure. */

const reasons: Readonly<Record<string, string>> = {
  batching: 'more objects, to share a paid call',
  cache: 'the cache',
  chain: 'the chain',
  confirmation: 'the confirmation of a transaction',
  copying: 'another copy',
  data_set: 'its data set',
  finality: 'the finality of a transaction',
  funding: 'a deposit in the payment account',
  insufficient_gas_funds: 'tokens of the wallet for fees',
  lockup_limited: 'a larger approval of the storage service',
  not_approved: 'the approval of the storage service',
  over_limit: 'a larger approval of the storage service',
  pack: 'more small objects, to share a paid piece',
  payment_debt: 'the payment of a debt',
  provider: 'its provider, which does not answer or is not free',
  provider_busy: 'its provider, which is busy',
  provider_pulling: 'its provider, which pulls the bytes',
  retry: 'the next attempt',
  source: 'a provider with the bytes',
  spend_limit: 'the next day or month: the spend limit is reached',
  target_creating: 'its data set, which is being created',
  wallet: 'the wallet',
}

/** `Waits for its data set.` */
export const waitText = (reason: string): string => `Waits for ${reasons[reason] ?? reason.replaceAll('_', ' ')}.`
