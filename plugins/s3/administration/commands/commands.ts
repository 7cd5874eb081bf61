import { adminFlags } from '#cli'
import { defineCommand, type FlagSpec } from '#kernel'

const rules = {
  type: 'text',
  description: 'File with all rules in JSON, as --json prints them; - reads standard input',
} as const satisfies FlagSpec

/** Commands of `svc admin bucket` for what the S3 API keeps about a bucket. */
export const bucketSettingCommands = [
  defineCommand({
    name: 'admin bucket settings',
    summary: 'Show access, CORS rules, tags, lifecycle rules and the quota of a bucket',
    examples: [['svc admin bucket settings photos', 'In words; the commands access, cors, tags, lifecycle and quota change them']],
    parameters: ['<bucket>'],
    flags: adminFlags,
    load: () => import('./settings-command.ts'),
  }),
  defineCommand({
    name: 'admin bucket access',
    summary: 'Show or change the access control list, the public access block and the object ownership of a bucket',
    examples: [
      ['svc admin bucket access photos', 'Show them'],
      ['svc admin bucket access photos --list public-read --yes', 'Everyone may list its keys; needs s3.public_access = true'],
      ['svc admin bucket access photos --list private --block-public on', 'Private, with all objects in it'],
      ['svc admin bucket access photos --ownership BucketOwnerEnforced', 'Its owner owns every object; lists have no effect'],
    ],
    parameters: ['<bucket>'],
    flags: {
      ...adminFlags,
      list: {
        type: ['private', 'public-read', 'public-read-write', 'authenticated-read'],
        description: 'List of the bucket; each object has a list of its own',
      },
      blockPublic: { type: ['on', 'off'], description: 'Refuse and ignore public lists of the bucket and of its objects' },
      ownership: {
        type: ['BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter'],
        description: 'Who owns objects that other users store; BucketOwnerEnforced disables lists',
      },
      yes: { type: 'switch', description: 'Confirm a change that can give others access' },
    },
    load: () => import('./access-command.ts'),
  }),
  defineCommand({
    name: 'admin bucket tags',
    summary: 'Show or change the tags of a bucket',
    examples: [
      ['svc admin bucket tags photos', 'Show them'],
      ['svc admin bucket tags photos --set team=web --set stage=live', 'Add or change two; the others stay'],
      ['svc admin bucket tags photos --remove stage', 'Remove one'],
      ['svc admin bucket tags photos --clear --set team=web', 'Replace all by one'],
    ],
    parameters: ['<bucket>'],
    flags: {
      ...adminFlags,
      set: { type: 'list', description: 'Tag as key=value' },
      remove: { type: 'list', description: 'Key of a tag to remove' },
      clear: { type: 'switch', description: 'Remove all tags that --set does not give' },
    },
    load: () => import('./tags-command.ts'),
  }),
  defineCommand({
    name: 'admin bucket cors',
    summary: 'Show or replace the CORS rules of a bucket',
    examples: [
      ['svc admin bucket cors photos', 'Show them'],
      ['svc admin bucket cors photos --json > cors.json', 'Write them to a file, to change it'],
      [
        'svc admin bucket cors photos --rules cors.json',
        'Replace all rules by those of the file: {"rules": [{"allowed_origins": ["https://page.example"], "allowed_methods": ["GET"], "allowed_headers": [], "expose_headers": []}]}',
      ],
      ['svc admin bucket cors photos --clear', 'Remove all rules'],
    ],
    parameters: ['<bucket>'],
    flags: {
      ...adminFlags,
      rules,
      clear: { type: 'switch', description: 'Remove all rules' },
    },
    load: () => import('./cors-command.ts'),
  }),
  defineCommand({
    name: 'admin bucket lifecycle',
    summary: 'Show or replace the lifecycle rules of a bucket, which act every day after midnight UTC',
    examples: [
      ['svc admin bucket lifecycle photos', 'Show them in words'],
      ['svc admin bucket lifecycle photos --json > rules.json', 'Write them to a file, to change it'],
      [
        'svc admin bucket lifecycle photos --rules rules.json --yes',
        'Replace all rules by those of the file: {"rules": [{"enabled": true, "prefix": "logs/", "expire_days": 30}]}',
      ],
      ['svc admin bucket lifecycle photos --clear', 'Remove all rules'],
    ],
    parameters: ['<bucket>'],
    flags: {
      ...adminFlags,
      rules,
      clear: { type: 'switch', description: 'Remove all rules' },
      yes: { type: 'switch', description: 'Confirm new or changed rules that delete objects, versions or uploads' },
    },
    load: () => import('./lifecycle-command.ts'),
  }),
  defineCommand({
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
  }),
]
