// Writes devnet-info.json: addresses, keys and URLs, in the shape (version 1) that the wallet SDKs validate.
import { renameSync, writeFileSync } from 'node:fs'
import { blake2b } from 'hash-wasm'
import { base32 } from 'multiformats/bases/base32'
import { type Address, type Hex, hexToBytes } from 'viem'
import { type Deployment, serviceUrlOf } from './chain/deployment.ts'

/** Value of required members for containers and databases, which this devnet does not have. */
const NONE = 'none'
const NO_PORT = 1
/** Filecoin's address manager for Ethereum addresses, and its protocol number for delegated addresses. */
const ETHEREUM_ADDRESS_MANAGER = 10
const DELEGATED_PROTOCOL = 4
const CHECKSUM_BITS = 32

export interface DevnetUser {
  /** `USER_1`, … */
  readonly name: string
  readonly address: Address
  readonly privateKey: Hex
}

interface DevnetInfoSource {
  readonly deployment: Deployment
  readonly users: readonly DevnetUser[]
  readonly rpcUrl: string
  /** Unix seconds of epoch 0, computed from the block time. */
  readonly genesisTimestamp: number
  readonly blockTimeSeconds: number
  readonly startedAt: Date
}

export type DevnetInfo = Awaited<ReturnType<typeof describeDevnet>>

export async function describeDevnet(source: DevnetInfoSource) {
  const { deployment, users, rpcUrl, startedAt } = source
  return {
    version: 1 as const,
    info: {
      run_id: deployment.runId,
      start_time: startedAt.toISOString(),
      startup_duration: `${((Date.now() - startedAt.getTime()) / 1000).toFixed(1)}s`,
      // An addition to the shape: the SDKs assume that epoch 0 was in 1970.
      genesis_timestamp: source.genesisTimestamp,
      block_time_seconds: source.blockTimeSeconds,
      users: await Promise.all(
        users.map(async ({ name, address, privateKey }) => ({
          name,
          evm_addr: address,
          native_addr: await delegatedAddress(address),
          private_key_hex: privateKey,
        })),
      ),
      contracts: describeContracts(deployment),
      lotus: { host_rpc_url: rpcUrl, container_id: NONE, container_name: NONE },
      lotus_miner: { container_id: NONE, container_name: NONE, api_port: NO_PORT },
      pdp_sps: await Promise.all(
        deployment.providers.map(async ({ providerId, address, port }) => ({
          provider_id: providerId,
          eth_addr: address,
          native_addr: await delegatedAddress(address),
          pdp_service_url: serviceUrlOf(port),
          container_id: NONE,
          container_name: NONE,
          is_approved: true,
          is_endorsed: true,
          yugabyte: { web_ui_url: serviceUrlOf(NO_PORT), master_rpc_port: NO_PORT, ysql_port: NO_PORT },
        })),
      ),
    },
  }
}

export function writeDevnetInfo(path: string, info: DevnetInfo): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(info, undefined, 2)}\n`)
  renameSync(`${path}.new`, path)
}

function describeContracts({ contracts }: Deployment) {
  return {
    multicall3_addr: contracts.multicall3,
    mockusdfc_addr: contracts.usdfc,
    fwss_service_proxy_addr: contracts.warmStorage,
    fwss_state_view_addr: contracts.warmStorage,
    fwss_impl_addr: contracts.warmStorage,
    pdp_verifier_proxy_addr: contracts.pdpVerifier,
    pdp_verifier_impl_addr: contracts.pdpVerifier,
    service_provider_registry_proxy_addr: contracts.serviceProviderRegistry,
    service_provider_registry_impl_addr: contracts.serviceProviderRegistry,
    filecoin_pay_v1_addr: contracts.filecoinPay,
    endorsements_addr: contracts.endorsements,
    session_key_registry_addr: contracts.sessionKeys,
  }
}

/** The Filecoin address (`t410f…`) of an Ethereum address. */
async function delegatedAddress(address: Address): Promise<string> {
  const account = hexToBytes(address)
  const checksum = await blake2b(Uint8Array.of(DELEGATED_PROTOCOL, ETHEREUM_ADDRESS_MANAGER, ...account), CHECKSUM_BITS)
  // Filecoin omits the multibase prefix `b` of base32.
  return `t410f${base32.encode(Uint8Array.of(...account, ...hexToBytes(`0x${checksum}`))).slice(1)}`
}
