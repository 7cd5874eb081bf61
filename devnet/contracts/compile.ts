// Compiles the devnet contracts into artifacts.json; with --check only compares them with the committed file.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import solc from 'solc'
import { compilerSettings, contractsDir, hashSources, readSources } from './source-hash.ts'

/** Limit for a deployed contract (EIP-170). */
const RUNTIME_BYTES_MAX = 24_576

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts?: Record<string, Record<string, CompiledContract>>
}

interface CompiledContract {
  readonly abi: readonly object[]
  readonly evm: { readonly bytecode: { readonly object: string }; readonly deployedBytecode: { readonly object: string } }
}

function compile(): string {
  const input = { language: 'Solidity', sources: readSources(), settings: compilerSettings }
  const output: CompilerOutput = JSON.parse(solc.compile(JSON.stringify(input)))
  const problems = output.errors ?? []
  if (problems.length > 0) throw new Error(problems.map((problem) => problem.formattedMessage).join('\n'))

  const contracts: Record<string, object> = {}
  for (const [name, contract] of Object.values(output.contracts ?? {}).flatMap((file) => Object.entries(file))) {
    const runtime = contract.evm.deployedBytecode.object
    // Skip interfaces and internal libraries, which are not deployed.
    if (contract.evm.bytecode.object === '' || contract.abi.every((item) => 'type' in item && item.type === 'error')) continue
    process.stdout.write(`${name.padEnd(24)} ${runtime.length / 2} bytes\n`)
    if (runtime.length / 2 > RUNTIME_BYTES_MAX) throw new Error(`${name} is larger than ${RUNTIME_BYTES_MAX} bytes`)
    contracts[name] = { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}`, runtime: `0x${runtime}` }
  }
  const compilerVersion: string = solc.version()
  return `${JSON.stringify({ compilerVersion, sourceHash: hashSources(compilerVersion), contracts })}\n`
}

const artifactsPath = join(contractsDir, 'artifacts.json')
const compiled = compile()
if (!process.argv.includes('--check')) {
  writeFileSync(artifactsPath, compiled)
} else if (readFileSync(artifactsPath, 'utf8') !== compiled) {
  process.stderr.write('devnet/contracts/artifacts.json is stale; run: node devnet/contracts/compile.ts\n')
  process.exitCode = 1
}
