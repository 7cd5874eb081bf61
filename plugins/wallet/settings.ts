import { choice, defineSection, duration, flag, integer, matching, secret, text } from '#kernel'
import { secretPartsOfRpcUrl } from './rpc-url-policy.ts'

const rpcUrl = matching(/^(https?|wss?):\/\/\S+$/, 'an http, https, ws or wss URL')
const privateKey = matching(/^(0x)?[0-9a-fA-F]{64}$/, '32 bytes in hexadecimal')

/** The chain that objects are kept on and the wallet that pays. */
export const chainSection = defineSection('chain', {
  doc: 'The storage network and the wallet that pays for it.',
  keys: {
    network: choice(['calibration', 'mainnet', 'devnet'], {
      label: 'Network',
      doc: 'calibration for tests, mainnet for real storage, devnet for a local chain.',
      default: 'calibration',
      editable: true,
      risk: 'high',
    }),
    rpc_url: text(
      {
        label: 'RPC endpoint',
        doc: 'URL of a chain node. Absent: the public endpoint of the network.',
        editable: true,
        risk: 'review',
        secretParts: secretPartsOfRpcUrl,
      },
      rpcUrl,
    ),
    private_key: secret(
      {
        label: 'Wallet private key',
        doc: 'the key of the wallet that pays; make one with `svc wallet generate`, or set SVC_CHAIN_PRIVATE_KEY.',
        required: true,
        written: true,
        default: '',
      },
      privateKey,
    ),
    devnet_info: text({ label: 'Devnet description', doc: 'Path of the devnet-info.json; only with chain.network = "devnet".' }),
    with_cdn: flag({ label: 'CDN', doc: 'Ask providers for CDN retrieval of new data sets.', default: false, editable: true }),
    allow_private_networks: flag({
      label: 'Private networks',
      doc: 'Allow provider URLs on private or loopback addresses. Keep it off unless you trust them.',
      default: false,
      editable: true,
      risk: 'high',
    }),
    default_copies: integer({
      label: 'Copies',
      doc: 'Replica target of new buckets.',
      default: 3,
      min: 1,
      max: 8,
      editable: true,
      risk: 'review',
    }),
    default_minimum_durable_copies: integer({
      label: 'Minimum durable copies',
      doc: 'Copies that must be stored before the cached bytes of new buckets may be released; 0 means all.',
      default: 0,
      min: 0,
      max: 8,
      editable: true,
    }),
    confirmations: integer({
      label: 'Confirmations',
      doc: 'Epochs after which a chain read counts as final. Absent: what suits the network.',
      min: 0,
      max: 900,
    }),
    finality_epochs: integer({
      label: 'Finality',
      doc: 'Epochs after which a reorganisation is ruled out: stored copies are checked on chain until then, and only then removed. Absent: what suits the network (900 on the public ones). A node that reports earlier finality is believed.',
      min: 1,
      max: 1800,
    }),
  },
  check: ({ network, devnet_info, default_copies, default_minimum_durable_copies, confirmations, finality_epochs }) => [
    ...(network === 'devnet' && !devnet_info ? [{ key: 'devnet_info', message: 'is required with chain.network = "devnet"' }] : []),
    ...(network !== 'devnet' && devnet_info ? [{ key: 'devnet_info', message: 'belongs to chain.network = "devnet" only' }] : []),
    ...(default_minimum_durable_copies > default_copies
      ? [{ key: 'default_minimum_durable_copies', message: `must not be above chain.default_copies (${default_copies})` }]
      : []),
    ...(finality_epochs !== undefined && confirmations !== undefined && finality_epochs < confirmations
      ? [{ key: 'finality_epochs', message: `must not be below chain.confirmations (${confirmations})` }]
      : []),
  ],
})

/** What the wallet may pay. Kept out of the Admin API: a stolen session must not raise it. */
export const spendingSection = defineSection('chain.spending', {
  doc: 'Limits of what the wallet pays for transactions and lets the storage service charge.',
  keys: {
    max_fee_per_gas_nanofil: integer({
      label: 'Highest fee per gas',
      doc: 'In nanoFIL (10^-9 FIL) per unit of gas. A wallet transaction for which the chain node asks for more is not signed.',
      default: 10,
      min: 1,
      max: 1_000_000,
    }),
    max_transaction_fee_millifil: integer({
      label: 'Highest fee of a transaction',
      doc: 'In thousandths of a FIL, for all gas of one wallet transaction. One that may cost more is not signed.',
      default: 1000,
      min: 1,
      max: 1_000_000,
    }),
    approved_usdfc_per_month: integer({
      label: 'Approved rate',
      doc: 'USDFC that the storage service may charge per 30 days. Takes effect with `svc wallet approve`, or with the next deposit where it raises the approval.',
      default: 1000,
      min: 1,
      max: 1_000_000_000,
    }),
    approved_lockup_usdfc: integer({
      label: 'Approved lockup',
      doc: 'USDFC that the storage service may hold locked at a time: 30 days of the running rate, and a reserve per data set. Takes effect as the approved rate does.',
      default: 2000,
      min: 1,
      max: 1_000_000_000,
    }),
    approved_lockup_days: integer({
      label: 'Approved lockup period',
      doc: 'Days for which the storage service may lock the running rate in advance; the network asks for 30.',
      default: 30,
      min: 1,
      max: 3650,
    }),
  },
})

export const spendingKeys = Object.keys(spendingSection.keys) as readonly (keyof typeof spendingSection.keys)[]

/** When the health of providers and data sets is looked at. */
export const observabilitySection = defineSection('chain.observability', {
  doc: 'Watching providers and data sets.',
  keys: {
    interval: duration({ label: 'Interval', doc: 'Pause between two rounds.', default: '5m', editable: true }),
    timeout: duration({ label: 'Timeout', doc: 'Longest wait for one provider.', default: '5s', editable: true }),
    concurrency: integer({ label: 'Concurrency', doc: 'Providers asked at the same time.', default: 8, min: 1, editable: true }),
  },
})
