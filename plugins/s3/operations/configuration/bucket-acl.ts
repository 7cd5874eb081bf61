import { withGrants } from '../../access/access-rules-policy.ts'
import { privateList } from '../../wire/access-list-policy.ts'
import { describeList, readList, readSentList, requireAllowedList } from '../access-control.ts'
import { type BucketRequest, type Operation, xmlAnswer } from '../operation.ts'

const ownersOf = ({ bucket: { ownerAccessKey } }: BucketRequest) => ({ owner: ownerAccessKey, bucketOwner: ownerAccessKey })

export const getBucketAcl: Operation = {
  scope: 'bucket',
  run(request, { accessLists }) {
    const { hasLists, grants } = accessLists.rulesOf(request.bucket)
    return xmlAnswer(describeList(hasLists ? grants : privateList, ownersOf(request)))
  },
}

export const putBucketAcl: Operation = {
  scope: 'bucket',
  async run(request, services) {
    const owners = ownersOf(request)
    const grants = readList(await readSentList(request, owners), owners, services)
    await services.accessLists.changeBucket(request.bucket, (access) => {
      requireAllowedList(grants, access, services.settings)
      return withGrants(access, grants)
    })
    return { status: 200, headers: {} }
  },
}
