/** Authorizes by role and bucket ownership. Anonymous callers are denied everything. */
import type { S3User } from '../contract.ts'
import type { S3Action } from './actions.ts'

type Verdict =
  | { readonly allow: true }
  | { readonly allow: false; readonly reason: 'anonymous' | 'role-may-not-create-buckets' | 'not-the-owner' }

/** `ownerAccessKey`: undefined for actions without a bucket, null for a bucket of the internal root account. */
export function authorize(caller: S3User | undefined, action: S3Action, ownerAccessKey?: string | null): Verdict {
  if (caller === undefined) return { allow: false, reason: 'anonymous' }
  if (caller.role === 'admin' || action === 's3:ListAllMyBuckets') return { allow: true }
  if (action === 's3:CreateBucket') {
    return caller.role === 'userplus' ? { allow: true } : { allow: false, reason: 'role-may-not-create-buckets' }
  }
  return ownerAccessKey === caller.accessKey ? { allow: true } : { allow: false, reason: 'not-the-owner' }
}
