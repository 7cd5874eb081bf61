/** Checks of the wallet's operations, and of the chain node against the clock of this machine. */
import { clock, formatTime } from '#kernel'
import { defineDoctorCheck, type Finding, type LookPage } from '#kernel/system'
import { readHeadTime } from '../chain/head-time.ts'
import { chainClient } from '../contract/services.ts'
import { undecidedOperations } from './undecided-store.ts'

/** An operation lands within some minutes, also while fees rise. */
const undecidedMs = 60 * 60_000
const operationsMax = 100

const operationsCheck = defineDoctorCheck({
  name: 'wallet.operations',
  title: 'Deposits and approvals of the wallet: none is undecided for more than an hour',
  proves: [],
  cost: 'quick',
  uses: { clock },
  async look({ clock }, { read }): Promise<LookPage> {
    const found = await undecidedOperations(read, { beforeMs: clock.now() - undecidedMs, limit: operationsMax + 1 })
    const findings = found.slice(0, operationsMax).map(
      ({ id, type, hash, updatedAtMs }): Finding => ({
        severity: 'warning',
        subject: { kind: 'wallet operation', id: String(id) },
        message: `${type}${hash === null ? '' : ` ${hash}`} has no outcome since ${formatTime(updatedAtMs)}`,
        repair:
          hash === null
            ? 'Nothing was sent; its task says why it waits'
            : 'Look up the transaction in a block explorer; svc looks it up until it is decided, and signs no other transaction before',
      }),
    )
    return { findings, compared: found.length, ...(found.length > operationsMax && { isCut: true }) }
  },
})

/** Blocks carry the time of their epoch; nodes may lag some epochs. */
const laggingEpochs = 10
const skewMs = 60_000

export const clockCheck = defineDoctorCheck({
  name: 'wallet.chain-clock',
  title: 'The chain node: answers, has the configured network, and its newest block is of this time',
  proves: [],
  cost: 'quick',
  needs: 'network',
  uses: { chain: chainClient, clock },
  async look({ chain, clock }): Promise<LookPage> {
    const [chainId, headMs] = await Promise.all([chain.reportedChainId(), readHeadTime(chain)])
    const { network } = chain
    if (chainId !== network.chainId) return { findings: [wrongChain(chainId, network.chainId)], compared: 1 }
    return { findings: judgeClock(clock.now() - headMs, network.epochSeconds * 1000), compared: 1 }
  },
})

const wrongChain = (found: number, expected: number): Finding => ({
  severity: 'error',
  subject: { kind: 'chain node', id: 'chain.rpc_url' },
  message: `the node serves chain ${found} instead of ${expected}`,
  repair: 'Set chain.rpc_url to a node of the configured network, or correct chain.network',
})

/** @param aheadMs by how much the clock of this machine is ahead of the newest block */
export function judgeClock(aheadMs: number, epochMs: number): readonly Finding[] {
  if (aheadMs >= -skewMs && aheadMs <= laggingEpochs * epochMs + skewMs) return []
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  const finding: Finding = {
    severity: 'warning',
    subject: { kind: 'clock', id: 'this machine' },
    message: `the clock is ${seconds} s ${aheadMs < 0 ? 'behind' : 'ahead of'} the newest block of the chain`,
    repair:
      aheadMs < 0
        ? 'Synchronise the clock of this machine (NTP)'
        : 'Check that the chain node is synchronised, then synchronise the clock of this machine (NTP)',
  }
  return [finding]
}

export const walletChecks = [operationsCheck, clockCheck]
