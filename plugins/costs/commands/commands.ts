import { adminFlags } from '#cli'
import { defineCommand } from '#kernel'

/** The command of `svc admin cost`. */
export const costCommands = [
  defineCommand({
    name: 'admin cost',
    summary: 'Show what storage costs and how long the deposit lasts, estimate an action, or print a monthly receipt',
    examples: [
      ['svc admin cost', 'Runway, rate, locked amounts, fees, spend limits and the most expensive buckets'],
      ['svc admin cost --bucket photos', 'One bucket with its data sets'],
      ['svc admin cost --estimate new-bucket --copies 3', 'What a bucket would cost; nothing is changed'],
      ['svc admin cost --estimate upload --bucket photos --objects 1000 --bytes 4096', 'What 1,000 objects of 4 KiB would add'],
      ['svc admin cost --receipt 2026-11 --csv', 'The payments of a month, to keep'],
    ],
    flags: {
      ...adminFlags,
      bucket: { type: 'text', description: 'Only this bucket' },
      estimate: {
        type: ['new-bucket', 'raise-target', 'upload', 'replacement', 'fund', 'withdraw', 'approve', 'speed-test'],
        description: 'The action to estimate',
      },
      copies: { type: 'number', description: 'Copies of the new bucket, or the raised target' },
      objects: { type: 'number', description: 'Objects of the estimated upload' },
      bytes: { type: 'number', description: 'Size of each of them' },
      dataSet: { type: 'number', description: 'Id of the data set to replace' },
      amount: { type: 'text', description: 'USDFC to deposit or withdraw, such as 5 or 0.25' },
      receipt: { type: 'text', description: 'A month such as 2026-11' },
      csv: { type: 'switch', description: 'Print the receipt as CSV' },
    },
    load: () => import('./cost-command.ts'),
  }),
]
