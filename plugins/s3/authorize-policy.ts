// Who may do what: roles and bucket ownership decide, and an anonymous caller may do nothing.
import type { S3User } from './contract.ts'
import type { Action } from './operations/operation.ts'

export type Verdict =
  | { readonly allow: true }
  | { readonly allow: false; readonly because: 'anonymous' | 'role-may-not-create-buckets' | 'not-the-owner' }

/** `ownerAccessKey` is undefined where no bucket is concerned, null for a bucket of the internal root account. */
export function authorize(caller: S3User | undefined, action: Action, ownerAccessKey?: string | null): Verdict {
  if (caller === undefined) return { allow: false, because: 'anonymous' }
  if (caller.role === 'admin' || action === 'list-buckets') return { allow: true }
  if (action === 'create-bucket') {
    return caller.role === 'userplus' ? { allow: true } : { allow: false, because: 'role-may-not-create-buckets' }
  }
  return ownerAccessKey === caller.accessKey ? { allow: true } : { allow: false, because: 'not-the-owner' }
}
