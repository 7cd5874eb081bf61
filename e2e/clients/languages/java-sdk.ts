import type { Client } from '../client.ts'
import { wholeRound } from '../steps.ts'
import { java } from './compiled-languages.ts'

export const javaSdk: Client = {
  name: 'java-sdk',
  program: { name: 'mvn', versionArgs: ['--version'], version: /Apache Maven 3/ },
  language: java({ 'software.amazon.awssdk:s3-transfer-manager': '2.33.0', 'org.slf4j:slf4j-nop': '1.7.36' }),
  settings: `\
import java.net.URI;
import java.nio.file.*;
import java.time.Duration;
import java.util.*;
import java.util.stream.*;
import software.amazon.awssdk.services.s3.*;
import software.amazon.awssdk.services.s3.model.*;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;
import software.amazon.awssdk.transfer.s3.*;

class Photos {
  static final String bucket = "photos";
  static final URI endpoint = URI.create(System.getenv("AWS_ENDPOINT_URL"));
  static final S3Client s3 = S3Client.builder().endpointOverride(endpoint).forcePathStyle(true).build();
  static final S3AsyncClient inParts = S3AsyncClient.builder().endpointOverride(endpoint).forcePathStyle(true).multipartEnabled(true).build();
  static final S3TransferManager transfers = S3TransferManager.builder().s3Client(inParts).build();
  static final S3Presigner presigner = S3Presigner.builder().endpointOverride(endpoint)
      .serviceConfiguration(S3Configuration.builder().pathStyleAccessEnabled(true).build()).build();

  static void put(String key) {
    s3.putObject(request -> request.bucket(bucket).key(key), Path.of(key));
  }

  static void remove(Stream<ObjectIdentifier> objects) {
    List<ObjectIdentifier> all = objects.toList();
    s3.deleteObjects(request -> request.bucket(bucket).delete(list -> list.objects(all)));
  }

  static ObjectIdentifier identifier(String key, String version) {
    return ObjectIdentifier.builder().key(key).versionId(version).build();
  }
}`,
  ...wholeRound({
    'make a bucket': 's3.createBucket(request -> request.bucket(bucket));',
    'upload a small file': 'put("small.bin");',
    'upload a large file': 'put("large.bin");',
    'upload in parts': `\
transfers.uploadFile(upload -> upload.putObjectRequest(request -> request.bucket(bucket).key("parts.bin")).source(Path.of("parts.bin")))
    .completionFuture().join();`,
    list: 's3.listObjectsV2Paginator(request -> request.bucket(bucket)).contents().forEach(object -> System.out.println(object.key()));',
    'upload a folder': `\
transfers.uploadDirectory(upload -> upload.bucket(bucket).s3Prefix("files").source(Path.of("files")))
    .completionFuture().join().failedTransfers().forEach(failure -> { throw new RuntimeException(failure.exception()); });`,
    'download a folder': `\
transfers.downloadDirectory(download -> download.bucket(bucket).listObjectsV2RequestTransformer(list -> list.prefix("files/")).destination(Path.of("back")))
    .completionFuture().join().failedTransfers().forEach(failure -> { throw new RuntimeException(failure.exception()); });`,
    'read a range': 's3.getObject(request -> request.bucket(bucket).key("large.bin").range("bytes=100-299"), Path.of("range.bin"));',
    'copy on the server':
      's3.copyObject(request -> request.sourceBucket(bucket).sourceKey("parts.bin").destinationBucket(bucket).destinationKey("copy.bin"));',
    'move on the server': `\
s3.copyObject(request -> request.sourceBucket(bucket).sourceKey("copy.bin").destinationBucket(bucket).destinationKey("moved.bin"));
s3.deleteObject(request -> request.bucket(bucket).key("copy.bin"));`,
    'link for a download': `\
System.out.println(presigner.presignGetObject(link -> link.signatureDuration(Duration.ofHours(1))
    .getObjectRequest(request -> request.bucket(bucket).key("small.bin"))).url());`,
    'link for an upload': `\
System.out.println(presigner.presignPutObject(link -> link.signatureDuration(Duration.ofHours(1))
    .putObjectRequest(request -> request.bucket(bucket).key("linked.bin"))).url());`,
    'delete many objects': `\
remove(s3.listObjectsV2Paginator(request -> request.bucket(bucket).prefix("files/")).contents().stream()
    .map(object -> identifier(object.key(), null)));`,
    'list versions': `\
s3.listObjectVersionsPaginator(request -> request.bucket(bucket).prefix("small")).versions()
    .forEach(version -> System.out.println(version.key() + " " + version.versionId()));`,
    'remove the bucket': `\
var all = s3.listObjectVersions(request -> request.bucket(bucket));
remove(Stream.concat(
    all.versions().stream().map(version -> identifier(version.key(), version.versionId())),
    all.deleteMarkers().stream().map(marker -> identifier(marker.key(), marker.versionId()))));
s3.deleteBucket(request -> request.bucket(bucket));`,
  }),
}
