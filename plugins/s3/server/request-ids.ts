import { newToken, takeRandom } from '#kernel'

/** 16 upper-case hexadecimal digits. */
export const newRequestId = (): string => takeRandom(8).toString('hex').toUpperCase()

/** Identifies this process; sent as x-amz-id-2. */
export const hostId = newToken(24)
