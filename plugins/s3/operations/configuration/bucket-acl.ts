import { withGrants } from '../../access/access-rules-policy.ts'
import { privateList } from '../../wire/access-list-policy.ts'
import { describeList, readList, readSentList, requireAllowedList } from '../access-control.ts'
import { type Operation, xmlAnswer } from '../operation.ts'

export const getBucketAcl: Operation = {
  scope: 'bucket',
  run(request, { accessLists }) {
    const { hasLists, grants, owner } = accessLists.rulesOf(request.bucket)
    return xmlAnswer(describeList(hasLists ? grants : privateList, { owner, bucketOwner: owner }))
  },
}

export const putBucketAcl: Operation = {
  scope: 'bucket',
  async run(request, services) {
    const { owner } = services.accessLists.rulesOf(request.bucket)
    const sent = await readSentList(request, { owner }, services)
    const grants = readList(sent, { owner, bucketOwner: owner }, services)
    await services.accessLists.changeBucket(request.bucket, (access) => {
      requireAllowedList(grants, access, services.settings)
      return withGrants(access, grants)
    })
    return { status: 200, headers: {} }
  },
}
