// State and clients that the parts of one simulated provider share.
import type { Hex } from 'viem'
import type { DevnetContracts } from '../chain/deployment.ts'
import type { HeadWatch } from '../chain/head-watch.ts'
import type { NetworkVersion } from '../chain/network-versions.ts'
import type { PatientTransactions } from '../chain/patient-transactions.ts'
import type { ChainReader, ChainSigner } from '../chain/rpc.ts'
import type { FaultBox, RouteName } from '../faults.ts'
import type { Ledger, TransactionKind, TransactionRecord } from './ledger.ts'
import type { PieceStore } from './piece-store.ts'
import type { ProviderCounters, ProviderSettings } from './settings.ts'

export interface ProviderChain {
  readonly rpcUrl: string
  readonly reader: ChainReader
  readonly head: HeadWatch
  readonly patient: PatientTransactions
  readonly contracts: DevnetContracts
  readonly network: NetworkVersion
}

interface Submission {
  readonly kind: TransactionKind
  readonly route: RouteName
  readonly to: Hex
  readonly data: Hex
  readonly value?: bigint
  readonly dataSetId?: number
  readonly pieceCids?: readonly string[]
  readonly extraData: Hex
}

export interface TransactionLog {
  /** Broadcasts and records the transaction. @throws Refusal 500 with the revert data when the estimate reverts */
  submit(submission: Submission): Promise<Hex>
  find(hash: string, kinds: readonly TransactionKind[]): TransactionRecord | undefined
  /** Calls back when a transaction was processed. Returns the function that unsubscribes. */
  subscribe(listener: () => void): () => void
}

export interface ProviderContext {
  readonly providerId: number
  readonly chain: ProviderChain
  readonly signer: ChainSigner
  readonly pieces: PieceStore
  readonly ledger: Ledger
  readonly transactions: TransactionLog
  readonly faults: FaultBox
  readonly counters: ProviderCounters
  readonly settings: ProviderSettings
  /** Payers whose data sets are not proven any more, in lower case. */
  readonly abandonedPayers: Set<string>
  readonly log: (line: string) => void
}
