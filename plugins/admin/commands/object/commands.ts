import { adminFlags, watchFlag } from '#cli'
import { defineCommand, type FlagSpec } from '#kernel'

const limit = { type: 'number', max: 1000, description: 'Rows to show, 1 to 1000; default 50' } as const satisfies FlagSpec
const version = '01KXF3Q5W8S0M9T2R7C4V6B1ND'

/** Commands of `svc admin object`. */
export const objectCommands = [
  defineCommand({
    name: 'admin object list',
    summary: 'List the objects of a bucket with size, status and location',
    examples: [
      ['svc admin object list photos --prefix 2026/ --folders', 'One folder, with its subfolders'],
      ['svc admin object list photos --deleted', 'Deleted objects that can be restored'],
    ],
    parameters: ['<bucket>'],
    flags: {
      ...adminFlags,
      prefix: { type: 'text', description: 'Only keys that begin with it' },
      folders: { type: 'switch', description: 'Show keys with a further "/" as one folder' },
      deleted: { type: 'switch', description: 'Show deleted objects that can be restored instead' },
      work: { type: 'text', description: 'Only objects in this state: complete, working, waiting or stuck' },
      after: { type: 'text', description: 'Continue after this key, which the last line of a page names' },
      limit,
    },
    load: () => import('./list-command.ts'),
  }),
  defineCommand({
    name: 'admin object upload',
    summary: 'Upload a file as an object',
    examples: [
      ['svc admin object upload photos 2026/sea.jpg sea.jpg --content-type image/jpeg', 'An existing key gets a new version'],
      ['svc admin object upload backups home.tar - < home.tar', 'Read the bytes from standard input'],
    ],
    parameters: ['<bucket>', '<key>', '<file>'],
    flags: {
      ...adminFlags,
      contentType: { type: 'text', description: 'Media type of the object', default: 'application/octet-stream' },
    },
    load: () => import('./upload-command.ts'),
  }),
  defineCommand({
    name: 'admin object download',
    summary: 'Download an object, or one of its versions, into a file',
    examples: [
      ['svc admin object download photos 2026/sea.jpg', 'Into sea.jpg in this directory'],
      [`svc admin object download photos 2026/sea.jpg old.jpg --version-id ${version}`, 'An older version'],
      ['svc admin object download backups home.tar - > home.tar', 'Write the bytes to standard output'],
    ],
    parameters: ['<bucket>', '<key>', '[file]'],
    flags: {
      ...adminFlags,
      versionId: { type: 'text', description: 'Version to download; default the current one' },
      overwrite: { type: 'switch', description: 'Replace an existing file' },
    },
    load: () => import('./download-command.ts'),
  }),
  defineCommand({
    name: 'admin object versions',
    summary: 'List the versions and delete markers of an object, newest first',
    examples: [['svc admin object versions photos 2026/sea.jpg', 'With the ids that download, restore and delete take']],
    parameters: ['<bucket>', '<key>'],
    flags: {
      ...adminFlags,
      after: { type: 'text', description: 'Continue after this version id, which the last line of a page names' },
      limit,
    },
    load: () => import('./versions-command.ts'),
  }),
  defineCommand({
    name: 'admin object restore',
    summary: 'Bring a deleted object back, or make an older version current again',
    examples: [
      ['svc admin object restore photos 2026/sea.jpg', 'Remove its delete markers'],
      [`svc admin object restore photos 2026/sea.jpg ${version}`, 'As a new version with the bytes of this one'],
    ],
    parameters: ['<bucket>', '<key>', '[version id]'],
    flags: adminFlags,
    load: () => import('./restore-command.ts'),
  }),
  defineCommand({
    name: 'admin object delete',
    summary: 'Delete an object: hide it behind a delete marker, or delete its versions permanently',
    examples: [
      ['svc admin object delete photos 2026/sea.jpg', 'svc admin object restore brings it back'],
      [`svc admin object delete photos 2026/sea.jpg --version-id ${version} --yes`, 'Irreversible: one version'],
      ['svc admin object delete photos 2026/sea.jpg --permanently --yes', 'Irreversible: every version of a deleted object'],
    ],
    parameters: ['<bucket>', '<key>'],
    flags: {
      ...adminFlags,
      versionId: { type: 'text', description: 'Delete this version permanently' },
      permanently: { type: 'switch', description: 'Delete every version of an object that is already deleted' },
      yes: { type: 'switch', description: 'Confirm a permanent deletion' },
    },
    load: () => import('./delete-command.ts'),
  }),
  defineCommand({
    name: 'admin object status',
    summary: 'Show how far an object is stored: state, copies, and why replication is incomplete',
    examples: [
      ['svc admin object status photos 2026/sea.jpg', 'The current version'],
      ['svc admin object status photos 2026/sea.jpg --watch', 'Follow it until Ctrl-C'],
    ],
    parameters: ['<bucket>', '<key>', '[version id]'],
    flags: { ...adminFlags, watch: watchFlag },
    load: () => import('./status-command.ts'),
  }),
]
