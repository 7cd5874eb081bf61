import { defineSection, setting, textRules } from '#kernel'
import { secretPartsOfRpcUrl } from './rpc-url-policy.ts'

const rpcUrl = textRules.matching(/^(https?|wss?):\/\/\S+$/, 'an http, https, ws or wss URL')
/** Websockets are refused: these nodes answer single questions. */
const furtherRpcUrl = textRules.matching(/^https?:\/\/[^\s,]+$/, 'an http or https URL')
const usdfcAmount = textRules.matching(/^$|^(?=.*[1-9])\d{1,9}(\.\d{1,18})?$/, 'an amount of USDFC such as 5 or 0.25, or empty')
const privateKey = textRules.matching(/^(0x)?[0-9a-fA-F]{64}$/, '32 bytes in hexadecimal')

export const chainSection = defineSection('chain', {
  doc: 'The storage network and the wallet that pays for storage.',
  keys: {
    network: setting.choice(['calibration', 'mainnet', 'devnet'], {
      label: 'Network',
      doc: 'calibration: test network; mainnet: production; devnet: local chain.',
      default: 'calibration',
      editable: true,
      risk: 'high',
    }),
    rpc_url: setting.text(
      {
        label: 'RPC endpoint',
        doc: 'URL of a chain node. Default: the public endpoint of the network.',
        editable: true,
        risk: 'review',
        secretParts: secretPartsOfRpcUrl,
      },
      rpcUrl,
    ),
    rpc_urls: setting.list(
      {
        label: 'Further RPC endpoints',
        doc:
          'URLs of further chain nodes, of other operators. Every answer that decides about money or deletion is used only when one of them gives ' +
          'it too and none another one; until then work waits. Without them records are deleted an hour later, after the node alone confirmed it.',
        default: [],
        secretParts: (urls) => urls.split(',').flatMap(secretPartsOfRpcUrl),
      },
      furtherRpcUrl,
    ),
    private_key: setting.secret(
      {
        label: 'Wallet private key',
        doc: 'private key of the wallet that pays. Run `svc wallet generate`, then set chain.private_key or SVC_CHAIN_PRIVATE_KEY to the key that it prints.',
        required: true,
        written: true,
        default: '',
      },
      privateKey,
    ),
    devnet_info: setting.text(
      { label: 'Devnet description', doc: 'Path of the devnet-info.json. Only for chain.network = "devnet".' },
      textRules.readFile,
    ),
    with_cdn: setting.flag({ label: 'CDN', doc: 'Create new data sets with CDN retrieval.', default: false, editable: true }),
    allow_private_networks: setting.flag({
      label: 'Private networks',
      doc: 'Allow provider URLs on private or loopback addresses. Enable it only if you trust every provider.',
      default: false,
      editable: true,
      risk: 'high',
    }),
    default_copies: setting.integer({
      label: 'Copies',
      doc: 'Replica target of new buckets.',
      default: 3,
      min: 1,
      max: 8,
      editable: true,
      risk: 'review',
    }),
    default_minimum_durable_copies: setting.integer({
      label: 'Minimum durable copies',
      doc: 'Copies that must be stored before the cached bytes of an object in a new bucket may be evicted; 0: all.',
      default: 0,
      min: 0,
      max: 8,
      editable: true,
    }),
    spend_limit_daily: setting.text(
      {
        label: 'Spend limit per day',
        doc:
          'USDFC that a day (UTC) may cost before new paid work waits for the next day. It counts the fees of the calls of the day, also of those ' +
          'that are undecided, and what all storage of the wallet costs in a day, with the planned work. Removals and the end of services never wait. Empty: off.',
        default: '',
        editable: true,
        risk: 'review',
      },
      usdfcAmount,
    ),
    spend_limit_monthly: setting.text(
      {
        label: 'Spend limit per month',
        doc: 'The same for the fees of a calendar month (UTC), and what all storage costs in 30 days. Empty: off.',
        default: '',
        editable: true,
        risk: 'review',
      },
      usdfcAmount,
    ),
    confirmations: setting.integer({
      label: 'Confirmations',
      doc: 'Depth in epochs at which svc reads the chain to decide whether a transaction landed. Default: chosen for the network.',
      min: 0,
      max: 900,
    }),
    finality_epochs: setting.integer({
      label: 'Finality',
      doc: 'Depth in epochs beyond which reorganisations are impossible: copies are verified on chain until then, and removed only after that. Default: chosen for the network (900 on public networks). An earlier finality that the node reports is used.',
      min: 1,
      max: 1800,
    }),
  },
  check: ({ network, devnet_info, default_copies, default_minimum_durable_copies, confirmations, finality_epochs }) => [
    ...(network === 'devnet' && !devnet_info ? [{ key: 'devnet_info', message: 'is required with chain.network = "devnet"' }] : []),
    ...(network !== 'devnet' && devnet_info ? [{ key: 'devnet_info', message: 'is only for chain.network = "devnet"' }] : []),
    ...(default_minimum_durable_copies > default_copies
      ? [{ key: 'default_minimum_durable_copies', message: `must not be above chain.default_copies (${default_copies})` }]
      : []),
    ...(finality_epochs !== undefined && confirmations !== undefined && finality_epochs < confirmations
      ? [{ key: 'finality_epochs', message: `must not be below chain.confirmations (${confirmations})` }]
      : []),
  ],
})

/** Not editable through the Admin API: a stolen session must not raise the limits. */
export const spendingSection = defineSection('chain.spending', {
  doc: 'Limits for transaction fees and for the charges of the storage service.',
  keys: {
    max_fee_per_gas_nanofil: setting.integer({
      label: 'Maximum fee per gas',
      doc: 'In nanoFIL (10^-9 FIL) per unit of gas. Wallet transactions with a higher fee are not signed.',
      default: 10,
      min: 1,
      max: 1_000_000,
    }),
    max_transaction_fee_millifil: setting.integer({
      label: 'Maximum fee per transaction',
      doc: 'In milliFIL (10^-3 FIL) for all gas of one transaction. Wallet transactions that may cost more are not signed.',
      default: 1000,
      min: 1,
      max: 1_000_000,
    }),
    approved_usdfc_per_month: setting.integer({
      label: 'Approved rate',
      doc: 'USDFC that the storage service may charge per 30 days. Run `svc wallet approve` to apply a change; a deposit applies increases.',
      default: 1000,
      min: 1,
      max: 1_000_000_000,
    }),
    approved_lockup_usdfc: setting.integer({
      label: 'Approved lockup',
      doc: 'USDFC that the storage service may lock at a time: 30 days of the current rate and a reserve per data set. Applied like the approved rate.',
      default: 2000,
      min: 1,
      max: 1_000_000_000,
    }),
    approved_lockup_days: setting.integer({
      label: 'Approved lockup period',
      doc: 'Days of the current rate that the storage service may lock in advance; the network requires 30.',
      default: 30,
      min: 1,
      max: 3650,
    }),
  },
})

export const spendingKeys = Object.keys(spendingSection.keys) as readonly (keyof typeof spendingSection.keys)[]
