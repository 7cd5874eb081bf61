import { storageErrors } from '../../errors.ts'

export const bucketNotFound = (name: string) => storageErrors.bucket_not_found({ message: `there is no bucket '${name}'` })
