import type { Reader } from '#kernel'
import type { ReplicaSlot, ReplicaSlots } from '#plugins/replication'
import { replacementErrors } from '../errors.ts'

/** The slot of a data set of the bucket. */
export async function findSlotOf(
  slots: Pick<ReplicaSlots, 'list'>,
  read: Reader,
  { bucketId, dataSetId }: { readonly bucketId: number; readonly dataSetId: number },
): Promise<ReplicaSlot> {
  const slot = (await slots.list(read, bucketId)).find(({ generations }) => generations.some(({ id }) => id === dataSetId))
  if (!slot) throw replacementErrors.replacement_data_set_not_found()
  return slot
}
