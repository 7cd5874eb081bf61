/** What a bucket refuses or ignores, whatever its lists say. */
export interface PublicAccessBlock {
  /** Refuses new lists that make the bucket or an object public. */
  readonly blockPublicAcls: boolean
  /** Ignores the public grants of all lists. */
  readonly ignorePublicAcls: boolean
  readonly blockPublicPolicy: boolean
  readonly restrictPublicBuckets: boolean
}
