import { type ApprovalLimits, approvalAdvice, excessAdvice, nearlyUsed } from '../chain/approval-policy.ts'
import { openAccount } from '../chain/clients.ts'
import { judgeVersions } from '../chain/contract-version-policy.ts'
import { runwaySeconds } from '../chain/cost-policy.ts'
import { estimateCost, type FundingView, readAccount, readFunding, type WorkEstimate } from '../chain/payment-account.ts'
import { readGas, readUsdfc, settle, startLimit } from '../chain/readiness-reads.ts'
import type { Chain, KnownProviders, Signer, UsableProviders } from '../contract.ts'
import type { ApprovalVerdict, ChainFacts, ProviderCounts, StorageEstimate } from './readiness-facts.ts'

/** Timeout of the whole check; later answers count as unknown. */
const readinessMs = 20_000

interface ReadinessDeps {
  readonly chain: Chain
  readonly owner: Signer['address']
  readonly defaultCopies: number
  readonly allowPrivateNetworks: boolean
  /** True when new data sets use CDN retrieval. */
  readonly withCdn: boolean
  readonly approval: ApprovalLimits
  /** Is undefined when no plugin knows providers. */
  readonly usableProviders: UsableProviders | undefined
  /** What the running service knows of providers; undefined for a draft. */
  readonly knownProviders?: () => Promise<Required<KnownProviders>>
  /** Default: `readinessMs`. */
  readonly limitMs?: number
}

/** Size of the smallest object. */
const objectBytesMin = 127n

/** Reads all facts from the chain within one timeout. Never rejects: missing answers are unknown, with a reason without addresses. */
export async function readReadiness({ limitMs = readinessMs, ...deps }: ReadinessDeps): Promise<ChainFacts> {
  const { chain, owner } = deps
  const limit = startLimit(limitMs)
  try {
    const known = <T>(answer: Promise<T>) => settle(answer, limit.reached)
    const reported = await known(chain.reportedChainId())
    if (!reported.isKnown) return { kind: 'unreachable', because: reported.because }
    const { chainId } = chain.network
    if (reported.value !== chainId) return { kind: 'other_network', reportedChainId: reported.value, expectedChainId: chainId }
    const [contracts, gas, usdfc, runwaySeconds, providers, estimate] = await Promise.all([
      known(chain.contractVersions().then(judgeVersions)),
      known(readGas(chain, owner)),
      known(readUsdfc(chain, owner)),
      known(readRunway(chain, owner)),
      deps.usableProviders && known(countProviders(deps.usableProviders, deps)),
      known(estimateFirstObject(deps)),
    ])
    return { kind: 'answered', contracts, gas, usdfc, runwaySeconds, providers, estimate }
  } finally {
    limit.end()
  }
}

/** Address of the configured wallet key. */
export const ownerOf = (privateKey: string): Signer['address'] => openAccount(privateKey).address

const nothingKnown: Required<KnownProviders> = { silent: new Set(), inUse: new Set() }

async function countProviders(usableProviders: UsableProviders, deps: ReadinessDeps): Promise<ProviderCounts> {
  const [usable, { silent, inUse }] = await Promise.all([usableProviders.list(deps.chain, deps), deps.knownProviders?.() ?? nothingKnown])
  const silentAmong = (ids: Iterable<string>) => [...ids].filter((id) => silent.has(id)).length
  return { usable: usable.length, silent: silentAmong(usable), inUse: inUse.size, inUseSilent: silentAmong(inUse) }
}

async function readRunway(chain: Chain, owner: Signer['address']): Promise<number | null> {
  const { runwayEpochs } = await readAccount(chain, owner)
  return runwaySeconds(runwayEpochs, chain.network.epochSeconds)
}

async function estimateFirstObject({ chain, owner, defaultCopies, withCdn, approval }: ReadinessDeps): Promise<StorageEstimate> {
  const funding = await readFunding(chain, owner)
  const addition = { isNewDataSet: true, hasCdn: withCdn, currentBytes: 0n, addedBytes: objectBytesMin, pieces: 1 } as const
  const additions = Array.from({ length: defaultCopies }, () => addition)
  const estimate = estimateCost({ kind: 'additions', additions }, funding)
  const { fees, lockup, cdnLockup, depositNeeded } = estimate
  return { cost: fees + lockup, cdnLockup, depositNeeded, approval: judgeApproval(estimate, funding, approval) }
}

function judgeApproval({ approvalState: state }: WorkEstimate, { approval }: FundingView, limits: ApprovalLimits): ApprovalVerdict {
  if (!state.approved) return { kind: 'lacking', advice: approvalAdvice(state.reason, approval, limits) }
  const reason = nearlyUsed(approval)
  if (reason) return { kind: 'nearly_used', advice: approvalAdvice(reason, approval, limits) }
  const advice = excessAdvice(approval, limits)
  return advice === undefined ? { kind: 'enough' } : { kind: 'above_settings', advice }
}
