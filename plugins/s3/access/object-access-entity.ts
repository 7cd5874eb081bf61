import { defineEntity, p } from '@mikro-orm/core'
import { objectVersionEntity } from '../../storage/entities.ts'

/** Owner and list of a version. Without a row it is private, and belongs to the owner of the bucket. */
export const objectAccessEntity = defineEntity({
  name: 'S3ObjectAccess',
  tableName: 's3_object_access',
  properties: {
    version_id: () =>
      p
        .manyToOne(objectVersionEntity)
        .joinColumn('version_id')
        .referencedColumnNames('version_id')
        .columnType('text')
        .mapToPk()
        .$type<string>()
        .primary()
        .updateRule('no action')
        .deleteRule('cascade'),
    /** Owner ID of a user; null: the owner of the bucket. */
    owner: p.text().nullable(),
    /** JSON of an AccessList. */
    grants: p.text(),
    /** ID of the bucket while the list names everyone. */
    public_bucket_id: p.bigint('number').nullable(),
  },
})
