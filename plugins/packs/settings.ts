import { defineSection, setting } from '#kernel'
import { objectSizes } from '#plugins/storage'

const mebibyte = 1024 * 1024

/** Packs of small objects. A bucket keeps the packing that it was created with. */
export const packsSection = defineSection('packs', {
  doc: 'Packs: many small objects of a bucket in one paid piece.',
  keys: {
    default: setting.choice(['off', 'small'], {
      label: 'Packing of new buckets',
      doc: 'small: objects up to packs.object_bytes_max wait for a pack, and cost their share of a piece; off: each object is a piece. Existing buckets stay as they are.',
      default: 'small',
      editable: true,
      risk: 'review',
    }),
    object_bytes_max: setting.integer({
      label: 'Largest packed object',
      doc: 'Larger objects are pieces of their own. In bytes.',
      default: mebibyte,
      min: 1,
      max: 16 * mebibyte,
      editable: true,
      risk: 'review',
    }),
    bytes: setting.integer({
      label: 'Size of a pack',
      doc: 'A pack is sealed when its objects have this many bytes, or fewer if a provider of the bucket takes only smaller pieces.',
      default: 256 * mebibyte,
      min: 64 * 1024,
      max: objectSizes.bytesMax,
      editable: true,
      risk: 'review',
    }),
    compaction_months: setting.integer({
      label: 'Compaction',
      doc: 'A pack is replaced by one without the bytes of deleted objects when those would cost more in this many months than the replacement. 0: never.',
      default: 12,
      min: 0,
      max: 120,
      editable: true,
      risk: 'review',
    }),
    wait: setting.duration({
      label: 'Longest wait',
      doc: 'A pack is sealed when its first object has waited this long. Until it is stored, its objects are only in the cache.',
      default: '10m',
      editable: true,
      risk: 'review',
    }),
    idle: setting.duration({
      label: 'Idle time',
      doc: 'A pack is sealed when no further object came for this long.',
      default: '1m',
      editable: true,
      risk: 'review',
    }),
  },
})
