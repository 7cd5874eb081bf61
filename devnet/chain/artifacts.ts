// Reads the compiled contracts.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Abi, Hex } from 'viem'
import { contractsDir } from '../contracts/source-hash.ts'

export type ContractName =
  | 'Endorsements'
  | 'FilecoinPay'
  | 'Multicall3'
  | 'PdpVerifier'
  | 'ServiceProviderRegistry'
  | 'SessionKeys'
  | 'UsdfcToken'
  | 'WarmStorage'

interface ContractArtifact {
  readonly abi: Abi
  readonly bytecode: Hex
  readonly runtime: Hex
}

interface ContractArtifacts {
  readonly compilerVersion: string
  /** Result of `hashSources` for the sources that were compiled. */
  readonly sourceHash: string
  readonly contracts: Record<ContractName, ContractArtifact>
}

export function readArtifacts(): ContractArtifacts {
  return JSON.parse(readFileSync(join(contractsDir, 'artifacts.json'), 'utf8'))
}
