import { join } from 'node:path'
import { defineSection, setting, textRules } from '#kernel'

/** Byte counts stay below 2^53. */
const capacityMaxGb = 2 ** 23 - 1
const percent = { min: 0, max: 100, editable: true, risk: 'review' } as const

/** The local cache. Watermarks are stored but ignored under policies other than lru. */
export const cacheSection = defineSection('cache', {
  doc: 'The local cache. Every upload is written here first.',
  keys: {
    dir: setting.text(
      {
        label: 'Directory',
        doc: 'Folder of the cached bytes. Use a separate local disk with space for max_size_gb.',
        default: ({ dataDir }) => join(dataDir, 'cache'),
        editable: true,
        risk: 'review',
        written: true,
      },
      textRules.dataFolder,
    ),
    max_size_gb: setting.integer({
      label: 'Capacity',
      doc: 'Maximum size of the cache, in units of 1024^3 bytes.',
      default: 100,
      min: 1,
      max: capacityMaxGb,
      editable: true,
      risk: 'review',
    }),
    database_object_bytes: setting.integer({
      label: 'Objects in the database',
      doc: 'Objects up to this many bytes are cached in the database instead of in files, which makes small uploads much faster. 0: none, for example to keep a database and its backups small. Objects that are cached already stay where they are.',
      default: 16_384,
      min: 0,
      max: 16_384,
      editable: true,
      risk: 'review',
    }),
    eviction_policy: setting.choice(['lru', 'after_upload', 'none'], {
      label: 'Eviction policy',
      doc: 'lru: evict the least recently read when the cache fills; after_upload: evict as soon as enough copies are stored; none: never evict.',
      default: 'lru',
      editable: true,
      risk: 'review',
    }),
    fill_on_read: setting.flag({
      label: 'Fill on read',
      doc: 'Under lru, keep the bytes of an object that was read from a provider, if they fit below the high watermark or replace bytes that were read less recently.',
      default: true,
      editable: true,
      risk: 'review',
    }),
    transfer_threads: setting.flag({
      label: 'Threads for transfers',
      doc: 'Hash large objects on threads of their own, in memory that all transfers share, and write them past the page cache of the system. Off: ordinary reads and writes and one thread, slower, for systems where those make trouble.',
      default: true,
      editable: true,
      risk: 'review',
    }),
    lru_high_watermark_percent: setting.integer({
      label: 'High watermark',
      doc: 'Under lru, eviction starts at this percentage of the capacity.',
      default: 90,
      ...percent,
    }),
    lru_low_watermark_percent: setting.integer({
      label: 'Low watermark',
      doc: 'Under lru, eviction stops at this percentage of the capacity.',
      default: 80,
      ...percent,
    }),
  },
  check: ({ eviction_policy, lru_low_watermark_percent: low, lru_high_watermark_percent: high }) =>
    eviction_policy !== 'lru' || low < high
      ? []
      : [{ key: 'lru_low_watermark_percent', message: `must be below lru_high_watermark_percent (${high})` }],
})
