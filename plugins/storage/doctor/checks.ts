import { checkOfRules } from '#kernel/system'
import { cacheAccountingCheck, cacheBytesCheck, cacheFilesCheck, strayFilesCheck } from './cache-checks.ts'
import { compositeRules } from './composite-rules-store.ts'
import { damagedFilesCheck, quarantineCheck } from './damage-checks.ts'
import { bucketRules, cacheRules, countRules, lossRules, objectRules } from './object-rules-store.ts'
import { packRules } from './pack-rules-store.ts'
import { uploadRules } from './upload-rules-store.ts'

export const storageChecks = [
  checkOfRules({ name: 'storage.deleted-buckets', title: 'What remains of deleted buckets', proves: ['I-36'], rules: bucketRules }),
  checkOfRules({
    name: 'storage.objects',
    title: 'Keys, their current versions, and the references of versions to contents',
    proves: ['I-17', 'I-18'],
    rules: objectRules,
  }),
  checkOfRules({
    name: 'storage.composites',
    title: 'Contents of several pieces and their parts, parts of unfinished uploads, and empty contents',
    proves: ['I-18', 'I-19', 'I-20'],
    rules: compositeRules,
  }),
  checkOfRules({
    name: 'storage.packs',
    title: 'Packs, their members, and contents that wait for a pack',
    proves: ['I-18', 'I-19'],
    rules: packRules,
  }),
  checkOfRules({
    name: 'storage.uploads',
    title: 'Parts of open uploads and their files',
    proves: ['I-01', 'I-23'],
    rules: uploadRules,
  }),
  checkOfRules({
    name: 'storage.counts',
    title: 'Counters of buckets and contents against the rows',
    proves: [],
    rules: countRules,
  }),
  checkOfRules({
    name: 'storage.cached-contents',
    title: 'Cache entries: their sizes, and whether they may be removed; contents without bytes',
    proves: ['I-02', 'I-20', 'I-23', 'I-30'],
    rules: cacheRules,
  }),
  checkOfRules({ name: 'storage.lost-contents', title: 'Contents whose bytes are lost', proves: [], rules: lossRules }),
  damagedFilesCheck,
  quarantineCheck,
  cacheFilesCheck,
  strayFilesCheck,
  cacheBytesCheck,
  cacheAccountingCheck,
]
