/** Status and default message of each S3 error code. */
const s3Errors = {
  AccessControlListNotSupported: [400, 'The bucket does not allow ACLs.'],
  AccessDenied: [403, 'Access Denied'],
  AccessForbidden: [403, 'CORSResponse: This CORS request is not allowed.'],
  AuthorizationHeaderMalformed: [400, 'The authorization header is malformed.'],
  AuthorizationQueryParametersError: [400, 'The query-string authentication parameters are malformed.'],
  BadDigest: [400, 'The digest you specified did not match what we received.'],
  BadRequest: [400, 'Bad Request'],
  BucketAlreadyExists: [409, 'The requested bucket name is not available. Select a different name and try again.'],
  BucketAlreadyOwnedByYou: [409, 'Your previous request to create the named bucket succeeded and you already own it.'],
  BucketNotEmpty: [409, 'The bucket you tried to delete is not empty. You must delete all versions in the bucket.'],
  ConditionalRequestConflict: [409, 'A conflicting operation occurred during this request. Try again.'],
  EntityTooLarge: [400, 'Your proposed upload exceeds the maximum allowed object size.'],
  EntityTooSmall: [400, 'Your proposed upload is smaller than the minimum allowed object size.'],
  IllegalVersioningConfigurationException: [400, 'The versioning configuration specified in the request is invalid: it has no Status.'],
  IncompleteBody: [400, 'You did not provide the number of bytes declared by the request headers.'],
  InsufficientStorage: [507, 'The gateway has no space to store this. Free some space, then try again.'],
  InternalError: [500, 'We encountered an internal error. Please try again.'],
  InvalidAccessKeyId: [403, 'The AWS access key ID you provided does not exist in our records.'],
  InvalidArgument: [400, 'Invalid Argument'],
  InvalidBucketAclWithObjectOwnership: [
    400,
    'The bucket cannot have ACLs: its ObjectOwnership is BucketOwnerEnforced, so the owner of the bucket has full control and nobody else has access. Send the ACL private.',
  ],
  InvalidBucketName: [400, 'The specified bucket is not valid.'],
  InvalidBucketState: [409, 'The request is not valid with the current state of the bucket.'],
  InvalidChunkSizeError: [400, 'A chunk of the request body has a size that is not allowed.'],
  InvalidDigest: [400, 'The Content-MD5 you specified was invalid.'],
  InvalidLocationConstraint: [400, 'The specified location constraint is not valid.'],
  InvalidPart: [
    400,
    'One or more of the specified parts could not be found. The part may not have been uploaded, or its entity tag or checksum differs.',
  ],
  InvalidPartNumber: [416, 'The requested partnumber is not satisfiable.'],
  InvalidPartOrder: [400, 'The list of parts was not in ascending order. Parts must be ordered by part number.'],
  InvalidPolicyDocument: [400, 'The policy of the form is not valid.'],
  InvalidRange: [416, 'The requested range is not satisfiable.'],
  InvalidRequest: [400, 'Invalid Request'],
  InvalidStorageClass: [400, 'The storage class you specified is not valid.'],
  InvalidTag: [400, 'The tag provided was not a valid tag.'],
  InvalidURI: [400, "Couldn't parse the specified URI."],
  KeyTooLongError: [400, 'Your key is too long.'],
  MalformedACLError: [400, 'The ACL that you provided was not well formed or did not validate against our published schema.'],
  MalformedPOSTRequest: [400, 'The body of your POST request is not well-formed multipart/form-data.'],
  MalformedTrailerError: [400, 'The request contained trailing data that was not well-formed or did not conform to our published schema.'],
  MalformedXML: [400, 'The XML you provided was not well-formed or did not validate against our published schema.'],
  MaxPostPreDataLengthExceededError: [400, 'Your POST request fields preceding the upload file were too large.'],
  MetadataTooLarge: [400, 'Your metadata headers exceed the maximum allowed metadata size.'],
  MethodNotAllowed: [405, 'The specified method is not allowed against this resource.'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  MissingSecurityHeader: [400, 'Your request was missing a required header.'],
  NoSuchBucket: [404, 'The specified bucket does not exist.'],
  NoSuchBucketPolicy: [404, 'The bucket policy does not exist.'],
  NoSuchCORSConfiguration: [404, 'The CORS configuration does not exist.'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  NoSuchLifecycleConfiguration: [404, 'The lifecycle configuration does not exist.'],
  NoSuchPublicAccessBlockConfiguration: [404, 'The public access block configuration was not found.'],
  NoSuchTagSet: [404, 'The TagSet does not exist.'],
  NoSuchUpload: [
    404,
    'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
  ],
  NoSuchVersion: [404, 'The specified version does not exist.'],
  NoSuchWebsiteConfiguration: [404, 'The specified bucket does not have a website configuration.'],
  NotImplemented: [501, 'The operation or a header you provided implies functionality that is not implemented.'],
  ObjectLockConfigurationNotFoundError: [404, 'Object Lock configuration does not exist for this bucket.'],
  OperationAborted: [409, 'A conflicting conditional operation is currently in progress against this resource. Try again.'],
  OwnershipControlsNotFoundError: [404, 'The bucket ownership controls were not found.'],
  PreconditionFailed: [412, 'At least one of the pre-conditions you specified did not hold.'],
  ReplicationConfigurationNotFoundError: [404, 'The replication configuration was not found.'],
  RequestHeaderSectionTooLarge: [400, 'Your request header section exceeds the maximum allowed size.'],
  RequestTimeTooSkewed: [403, 'The difference between the request time and the current time is too large.'],
  RequestTimeout: [400, 'Your socket connection to the server was not read from or written to within the timeout period.'],
  ServerSideEncryptionConfigurationNotFoundError: [404, 'The server side encryption configuration was not found.'],
  ServiceUnavailable: [503, 'The content cannot be read right now. Try again.'],
  SignatureDoesNotMatch: [
    403,
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  ],
  ServiceQuotaExceededException: [403, 'The request would exceed a limit.'],
  SlowDown: [503, 'Please reduce your request rate.'],
  TooManyBuckets: [400, 'You have attempted to create more buckets than allowed.'],
  UnexpectedContent: [400, 'This request does not support content.'],
  UnresolvableGrantByEmailAddress: [400, 'The email address you provided does not match any account on record. Name the user by its ID.'],
  XAmzContentSHA256Mismatch: [400, "The provided 'x-amz-content-sha256' header does not match what was computed."],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type S3ErrorCode = keyof typeof s3Errors

interface S3ErrorOptions {
  readonly message?: string
  /** Elements between Message and Resource, in this order. */
  readonly extras?: Readonly<Record<string, string | number>>
  readonly headers?: Readonly<Record<string, string>>
  /** True when the position in the request body is unknown, so the connection cannot be reused. */
  readonly closesConnection?: boolean
  readonly cause?: unknown
}

/** An error that the listener sends to the client as S3 XML. */
export class S3Error extends Error {
  override readonly name = 'S3Error'
  readonly code: S3ErrorCode
  readonly status: number
  readonly extras: Readonly<Record<string, string | number>>
  readonly headers: Readonly<Record<string, string>>
  readonly closesConnection: boolean

  constructor(code: S3ErrorCode, options: S3ErrorOptions = {}) {
    const [status, message] = s3Errors[code]
    super(options.message ?? message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.status = status
    this.extras = options.extras ?? {}
    this.headers = options.headers ?? {}
    this.closesConnection = options.closesConnection ?? false
  }
}

export function invalidArgument(name: string, value: string, message: string): S3Error {
  return new S3Error('InvalidArgument', { message, extras: { ArgumentName: name, ArgumentValue: value } })
}
