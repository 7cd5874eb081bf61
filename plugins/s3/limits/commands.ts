import { adminFlags } from '#cli'
import { defineCommand } from '#kernel'

export const quotaCommand = defineCommand({
  name: 'admin bucket quota',
  summary: 'Show or limit what S3 clients may store in a bucket',
  examples: [
    ['svc admin bucket quota photos', 'What it holds, and its quota'],
    ['svc admin bucket quota photos --bytes 500GiB --objects 1000000', 'All versions count; what is stored already stays'],
    ['svc admin bucket quota photos --bytes none', 'Without a limit of bytes; that of objects stays'],
  ],
  parameters: ['<bucket>'],
  flags: {
    ...adminFlags,
    objects: { type: 'text', description: 'Object versions: a number, or none' },
    bytes: { type: 'text', description: 'Bytes in all object versions, such as 500GiB or 2TB, or none' },
  },
  load: () => import('./quota-command.ts'),
})
