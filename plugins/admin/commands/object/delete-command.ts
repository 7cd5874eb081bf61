import { type AdminCall, type AdminClient, formatFacts, openAdminClient, requireConfirmation, usageError } from '#cli'
import { CommandError } from '#kernel'
import { deleteObject } from '../../objects/object-api.ts'
import { deleteObjectPermanently, deleteVersionPermanently } from '../../objects/version-api.ts'
import { type NamedObject, readCurrent } from './read-history.ts'

export async function run(
  call: AdminCall<NamedObject, { versionId: string | undefined; permanently: boolean; yes: boolean }>,
): Promise<undefined> {
  const object = call.parameters
  const { versionId, permanently, yes } = call.flags
  if (versionId !== undefined && permanently) throw usageError('--version-id deletes one version, --permanently all of them; choose one')
  if (versionId !== undefined) requireConfirmation(yes, `deleting a version of ${object.key} permanently`)
  if (permanently) requireConfirmation(yes, `deleting every version of ${object.key} permanently`)
  const client = await openAdminClient(call)
  const { answer, text } = await chooseDeletion(client, object, { versionId, permanently })
  call.out.result(answer, text)
}

interface Deletion {
  readonly answer: object
  readonly text: string
}

function chooseDeletion(
  client: AdminClient,
  object: NamedObject,
  { versionId, permanently }: { readonly versionId: string | undefined; readonly permanently: boolean },
): Promise<Deletion> {
  if (versionId !== undefined) return deleteVersion(client, object, versionId)
  return permanently ? deleteAll(client, object) : hide(client, object)
}

async function hide(client: AdminClient, { bucket, key }: NamedObject): Promise<Deletion> {
  const answer = await client.call(deleteObject, { params: { name: bucket }, query: { key } })
  const facts = formatFacts([
    ['Object deleted', key],
    ['Delete marker', answer.delete_marker_version_id],
  ])
  return { answer, text: `${facts}\nIts versions are kept; svc admin object restore brings it back.` }
}

async function deleteVersion(client: AdminClient, { bucket, key }: NamedObject, versionId: string): Promise<Deletion> {
  const answer = await client.call(deleteVersionPermanently, { params: { name: bucket }, body: { key, version_id: versionId } })
  const text = formatFacts([
    ['Version deleted permanently', versionId],
    ['Object', key],
    ['Cached bytes', answer.cache_release],
    ['Cleanup task', answer.storage_cleanup_task_id],
  ])
  return { answer, text }
}

async function deleteAll(client: AdminClient, { bucket, key }: NamedObject): Promise<Deletion> {
  const current = await readCurrent(client, { bucket, key })
  if (!current.is_delete_marker)
    throw new CommandError(`${key} is not deleted; delete it first with svc admin object delete ${bucket} ${key}`)
  const body = { key, delete_marker_version_id: current.version_id }
  const answer = await client.call(deleteObjectPermanently, { params: { name: bucket }, body })
  const text = formatFacts([
    ['Object deleted permanently', key],
    ['Versions', answer.data_versions_deleted],
    ['Delete markers', answer.delete_markers_deleted],
    ['Cleanup tasks', answer.storage_cleanup_task_ids.join(', ')],
  ])
  return { answer, text }
}
