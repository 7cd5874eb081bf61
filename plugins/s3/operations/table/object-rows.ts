/** Operations of objects. */
import { corsPreflight } from '../configuration/cross-origin.ts'
import { fixedAnswer, saysAbsent } from '../configuration/fixed-answer.ts'
import { abortMultipartUpload } from '../multipart/abort-multipart-upload.ts'
import { completeMultipartUpload } from '../multipart/complete-multipart-upload.ts'
import { createMultipartUpload } from '../multipart/create-multipart-upload.ts'
import { listParts } from '../multipart/list-parts.ts'
import { uploadPart } from '../multipart/upload-part.ts'
import { uploadPartCopy } from '../multipart/upload-part-copy.ts'
import { copyObject } from '../objects/copy-object.ts'
import { deleteObject } from '../objects/delete-object.ts'
import { getObject } from '../objects/get-object.ts'
import { getObjectAttributes } from '../objects/get-object-attributes.ts'
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

/** S3 answers this for versions in a bucket without object lock. */
const noObjectLock = fixedAnswer(saysAbsent('InvalidRequest', 'Bucket is missing Object Lock Configuration'))
const cannotBeLocked = 'Versions cannot be locked.'

export const objectRows: Readonly<Record<string, OperationRow>> = {
  PutObject: {
    method: 'PUT',
    action: 's3:PutObject',
    body: 'object',
    handler: putObject,
    notes: 'Public access control lists need `s3.public_access`. Object lock and encryption are not implemented.',
  },
  CopyObject: {
    method: 'PUT',
    variant: isCopy,
    action: 's3:PutObject',
    handler: copyObject,
    notes: 'The ETag of the source is kept. Restrictions as for PutObject.',
  },
  GetObject: { method: 'GET', ...reads, handler: getObject },
  HeadObject: { method: 'HEAD', ...reads, handler: headObject },
  DeleteObject: { method: 'DELETE', action: 's3:DeleteObject', versionAction: 's3:DeleteObjectVersion', handler: deleteObject },
  CorsPreflight: { method: 'OPTIONS', handler: corsPreflight },

  CreateMultipartUpload: {
    method: 'POST',
    subResource: 'uploads',
    action: 's3:PutObject',
    handler: createMultipartUpload,
    notes: 'Restrictions as for PutObject.',
  },
  UploadPart: {
    method: 'PUT',
    subResource: 'uploadId',
    action: 's3:PutObject',
    body: 'object',
    handler: uploadPart,
    notes: 'A part without a checksum gets one in the algorithm of the upload.',
  },
  UploadPartCopy: { method: 'PUT', subResource: 'uploadId', variant: isCopy, action: 's3:PutObject', handler: uploadPartCopy },
  ListParts: { method: 'GET', subResource: 'uploadId', action: 's3:ListMultipartUploadParts', handler: listParts },
  CompleteMultipartUpload: {
    method: 'POST',
    subResource: 'uploadId',
    action: 's3:PutObject',
    body: 'document',
    handler: completeMultipartUpload,
    notes: 'Can be repeated for a day, by those who may end the upload. The checksums of the parts are optional.',
  },
  AbortMultipartUpload: {
    method: 'DELETE',
    subResource: 'uploadId',
    action: 's3:AbortMultipartUpload',
    handler: abortMultipartUpload,
  },

  ...withHandlers(
    readWrite('ObjectAcl', 'acl', { ...sameNamed('ObjectAcl'), ofVersion: sameNamed('ObjectVersionAcl') }),
    { GET: getObjectAcl, PUT: putObjectAcl },
    'Public lists need `s3.public_access`. Users are named by their access key, not by email address.',
  ),
  ...configuration('ObjectAnnotation', 'annotation', sameNamed('ObjectAnnotation')),
  GetObjectAttributes: {
    method: 'GET',
    subResource: 'attributes',
    action: 's3:GetObjectAttributes',
    versionAction: 's3:GetObjectVersionAttributes',
    handler: getObjectAttributes,
  },
  UpdateObjectEncryption: { method: 'PUT', subResource: 'encryption', action: 's3:UpdateObjectEncryption' },
  ...withHandlers(readWrite('ObjectLegalHold', 'legal-hold', sameNamed('ObjectLegalHold')), { GET: noObjectLock }, cannotBeLocked),
  RenameObject: { method: 'PUT', subResource: 'renameObject', action: 's3:RenameObject' },
  RestoreObject: { method: 'POST', subResource: 'restore', action: 's3:RestoreObject' },
  ...withHandlers(readWrite('ObjectRetention', 'retention', sameNamed('ObjectRetention')), { GET: noObjectLock }, cannotBeLocked),
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
