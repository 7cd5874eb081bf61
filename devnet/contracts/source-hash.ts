// Hashes the Solidity sources and compiler settings, so that a stale artifacts.json is detected.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Directory of the sources and artifacts.json. */
export const contractsDir = import.meta.dirname

/** The compiler needs viaIR (stack too deep); `paris` runs on Filecoin and anvil. */
export const compilerSettings = {
  viaIR: true,
  evmVersion: 'paris',
  optimizer: { enabled: true, runs: 1 },
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
} as const

/** Content of each `.sol` file by name, in name order. */
export function readSources(): Record<string, { content: string }> {
  const names = readdirSync(contractsDir)
    .filter((name) => name.endsWith('.sol'))
    .sort()
  return Object.fromEntries(names.map((name) => [name, { content: readFileSync(join(contractsDir, name), 'utf8') }]))
}

/** sha256 in hex over sources, compiler version and settings. */
export function hashSources(compilerVersion: string): string {
  return createHash('sha256')
    .update(JSON.stringify({ compilerVersion, settings: compilerSettings, sources: readSources() }))
    .digest('hex')
}
