import { defineMigration } from '#kernel'

/** The algorithm of the checksum of a current version, with `-` behind it for a composite one: the checksums are a JSON object of one member. */
const backfill = (position: string) =>
  `update object_heads set checksum = (
    select substr(v.checksums, 3, ${position}(v.checksums, '":') - 3) || case when ${position}(v.checksums, '-') > 0 then '-' else '' end
    from object_versions v
    where v.bucket_id = object_heads.bucket_id and v.key = object_heads.key and v.rseq = object_heads.rseq and v.checksums is not null)`

/** Listings show it, and read heads alone. */
export const listedChecksumsMigration = defineMigration('0028-listed-checksums', [
  {
    sqlite: 'alter table object_heads add column checksum text',
    postgres: 'alter table object_heads add column checksum text collate "C"',
  },
  { sqlite: backfill('instr'), postgres: backfill('strpos') },
])
