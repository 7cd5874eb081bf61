/** Operations of objects. */
import { corsPreflight } from '../configuration/cross-origin.ts'
import { deleteObject } from '../objects/delete-object.ts'
import { getObject } from '../objects/get-object.ts'
import { headObject } from '../objects/head-object.ts'
import { getObjectAcl, putObjectAcl } from '../objects/object-acl.ts'
import { deleteObjectTagging, getObjectTagging, putObjectTagging } from '../objects/object-tagging.ts'
import { putObject } from '../objects/put-object.ts'
import { configuration, type OperationRow, readWrite, sameNamed, withHandlers } from './row.ts'

const isCopy: OperationRow['variant'] = {
  when: '`x-amz-copy-source`',
  matches: (_query, headers) => headers.has('x-amz-copy-source'),
}

const reads = { action: 's3:GetObject', versionAction: 's3:GetObjectVersion' } as const

export const objectRows: Readonly<Record<string, OperationRow>> = {
  PutObject: {
    method: 'PUT',
    action: 's3:PutObject',
    handler: putObject,
    notes: 'Public access lists, grants, object lock and encryption are not implemented.',
  },
  CopyObject: { method: 'PUT', variant: isCopy, action: 's3:PutObject' },
  GetObject: { method: 'GET', ...reads, handler: getObject, notes: '`partNumber=1` is the whole object.' },
  HeadObject: { method: 'HEAD', ...reads, handler: headObject, notes: '`partNumber=1` is the whole object.' },
  DeleteObject: { method: 'DELETE', action: 's3:DeleteObject', versionAction: 's3:DeleteObjectVersion', handler: deleteObject },
  CorsPreflight: { method: 'OPTIONS', handler: corsPreflight },

  CreateMultipartUpload: { method: 'POST', subResource: 'uploads', action: 's3:PutObject' },
  UploadPart: { method: 'PUT', subResource: 'uploadId', action: 's3:PutObject' },
  UploadPartCopy: { method: 'PUT', subResource: 'uploadId', variant: isCopy, action: 's3:PutObject' },
  ListParts: { method: 'GET', subResource: 'uploadId', action: 's3:ListMultipartUploadParts' },
  CompleteMultipartUpload: { method: 'POST', subResource: 'uploadId', action: 's3:PutObject' },
  AbortMultipartUpload: { method: 'DELETE', subResource: 'uploadId', action: 's3:AbortMultipartUpload' },

  ...withHandlers(
    readWrite('ObjectAcl', 'acl', { ...sameNamed('ObjectAcl'), ofVersion: sameNamed('ObjectVersionAcl') }),
    { GET: getObjectAcl, PUT: putObjectAcl },
    'The owner of the bucket has full control; other lists are refused.',
  ),
  ...configuration('ObjectAnnotation', 'annotation', sameNamed('ObjectAnnotation')),
  GetObjectAttributes: {
    method: 'GET',
    subResource: 'attributes',
    action: 's3:GetObjectAttributes',
    versionAction: 's3:GetObjectVersionAttributes',
  },
  UpdateObjectEncryption: { method: 'PUT', subResource: 'encryption', action: 's3:UpdateObjectEncryption' },
  ...readWrite('ObjectLegalHold', 'legal-hold', sameNamed('ObjectLegalHold')),
  RenameObject: { method: 'PUT', subResource: 'renameObject', action: 's3:RenameObject' },
  RestoreObject: { method: 'POST', subResource: 'restore', action: 's3:RestoreObject' },
  ...readWrite('ObjectRetention', 'retention', sameNamed('ObjectRetention')),
  SelectObjectContent: { method: 'POST', subResource: 'select', action: 's3:GetObject' },
  ...withHandlers(
    configuration('ObjectTagging', 'tagging', {
      ...sameNamed('ObjectTagging'),
      remove: 's3:DeleteObjectTagging',
      ofVersion: { ...sameNamed('ObjectVersionTagging'), remove: 's3:DeleteObjectVersionTagging' },
    }),
    { GET: getObjectTagging, PUT: putObjectTagging, DELETE: deleteObjectTagging },
  ),
  GetObjectTorrent: { method: 'GET', subResource: 'torrent', action: 's3:GetObjectTorrent', versionAction: 's3:GetObjectVersionTorrent' },
}
