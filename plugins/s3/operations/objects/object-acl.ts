import type { ObjectVersion } from '#plugins/storage'
import type { ObjectAccess } from '../../access/object-access-store.ts'
import { isPrivate, privateList } from '../../wire/access-list-policy.ts'
import { readVersionId } from '../../wire/query.ts'
import { describeList, type Owners, readList, readSentList, requireAllowedList } from '../access-control.ts'
import { type ObjectRequest, type Operation, type S3Services, xmlAnswer } from '../operation.ts'
import { findReadable } from './read-object.ts'

export const getObjectAcl: Operation = {
  scope: 'object',
  async run(request, services) {
    const { version, grants, owners } = await findAccess(request, services)
    return xmlAnswer(describeList(grants, owners), { 'x-amz-version-id': version.versionId })
  },
}

/** The owner of the version stays. A bucket without lists accepts private ones and changes nothing. */
export const putObjectAcl: Operation = {
  scope: 'object',
  async run(request, services) {
    const { accessLists, settings } = services
    const { version, owner, owners, hasLists } = await findAccess(request, services)
    const grants = readList(await readSentList(request, owners, services), owners, services)
    requireAllowedList(grants, hasLists ? accessLists.accessOf(request.bucket) : { ownership: 'BucketOwnerEnforced' }, settings)
    // The stored owner and list have no effect without lists, and have it again when the ownership of the bucket changes.
    if (hasLists) await accessLists.replaceObject(version, owner === null && isPrivate(grants) ? undefined : { owner, grants })
    return { status: 200, headers: { 'x-amz-version-id': version.versionId } }
  },
}

interface Found extends ObjectAccess {
  readonly version: ObjectVersion
  readonly owners: Owners
  /** False: only the owner of the bucket has access, whatever is stored. */
  readonly hasLists: boolean
}

async function findAccess(request: ObjectRequest, services: S3Services): Promise<Found> {
  const { bucket } = request
  const { accessLists } = services
  const version = await findReadable(request, services, readVersionId(request.query))
  const { hasLists, owner: bucketOwner } = accessLists.rulesOf(bucket)
  const stored = hasLists ? (await accessLists.findObject(version))?.access : undefined
  const { owner, grants } = stored ?? { owner: null, grants: privateList }
  return { version, owner, grants, hasLists, owners: { owner: owner ?? bucketOwner, bucketOwner } }
}
