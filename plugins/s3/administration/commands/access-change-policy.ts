/** Flags of `svc admin bucket access` as a change of the Admin API. */
import type { changeAccess } from '../bucket-setting-api.ts'

type AccessChange = typeof changeAccess.body.infer

export interface AccessFlags {
  readonly list: AccessChange['list']
  readonly blockPublic: 'on' | 'off' | undefined
  readonly ownership: AccessChange['ownership']
}

/** Absent flags change nothing. */
export const readAccessChange = ({ list, blockPublic, ownership }: AccessFlags): AccessChange => ({
  ...(list && { list }),
  ...(blockPublic && { block_public_access: blockPublic === 'on' }),
  ...(ownership && { ownership }),
})

/** The flags that can give others access. An ownership other than BucketOwnerEnforced makes stored lists effective. */
export const openingFlags = ({ list, blockPublic, ownership }: AccessFlags): readonly string[] => [
  ...(list && list !== 'private' ? [`--list ${list}`] : []),
  ...(blockPublic === 'off' ? ['--block-public off'] : []),
  ...(ownership && ownership !== 'BucketOwnerEnforced' ? [`--ownership ${ownership}`] : []),
]
