import { defineSection, setting, textRules } from '#kernel'

export const replacementSection = defineSection('replacement', {
  doc: 'Replicas that move to another storage provider.',
  keys: {
    copying_at_once: setting.integer({
      label: 'Replicas copied at once',
      doc: 'Replacements that copy contents at the same time; others wait for their turn. Creating and ending services is not limited.',
      default: 4,
      min: 1,
      max: 64,
      editable: true,
    }),
  },
})

const usdfcAmount = textRules.matching(/^$|^(?=.*[1-9])\d{1,9}(\.\d{1,18})?$/, 'an amount of USDFC such as 5 or 0.25, or empty')

export const repairSection = defineSection('repair', {
  doc: 'Automatic replacement of data sets that are lost, ended, or at providers that fail. Single lost pieces are stored again without it.',
  keys: {
    auto: setting.flag({
      label: 'Automatic repair',
      doc:
        'Moves a replica to another provider, without asking, when its data set is lost or its service was ended by someone else, and when its ' +
        'provider does not answer, does not prove, or denies many pieces for provider_down_after.',
      default: false,
      editable: true,
      risk: 'review',
    }),
    daily_spend_limit: setting.text(
      {
        label: 'Spend limit of repairs per day',
        doc:
          'USDFC of estimated one-time fees that automatic repairs may cost in a UTC day; others wait for the next day. Empty: no limit of its own. ' +
          'The spend limits of the wallet hold in any case.',
        default: '5',
        editable: true,
        risk: 'review',
      },
      usdfcAmount,
    ),
    provider_down_after: setting.duration({
      label: 'Provider counts as down after',
      doc: 'How long a fault must last without an interruption before the replica is moved. Providers that come and go are left alone.',
      default: '24h',
      minMs: 60_000,
      editable: true,
    }),
  },
})
