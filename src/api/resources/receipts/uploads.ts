import { randomUUID } from 'node:crypto';
import { access, constants, type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { DomainError } from '../../../domain/errors.ts';
import { RECEIPT_HEAD_BYTES, type ReceiptType, receiptType } from '../../../domain/receipt-type.ts';
import { HttpError } from '../../../http/errors.ts';
import { readMultipart } from './multipart.ts';
import { MAX_RECEIPT_BYTES } from './schemas.ts';

/** A file that has arrived completely, of an accepted type. */
export interface UploadedFile {
  path: string;
  type: ReceiptType;
  /** Bytes. */
  size: number;
}

export interface Upload {
  fields: Record<string, string>;
  file: UploadedFile | undefined;
}

/** Multipart overhead in bytes. */
const OVERHEAD_BYTES = 64 * 1024;
const MAX_FIELD_BYTES = 1_024;
/** Far longer than any request may take. */
const ABANDONED_AFTER_MS = 10 * 60_000;

export interface UploadSteps<T> {
  /** Runs before the file is read, with the fields that precede it, and refuses the upload by throwing. */
  beforeFile: (fields: Upload['fields']) => Promise<void>;
  use: (upload: Upload) => Promise<T>;
}

/**
 * Stores the file of the form field `file` in `folder`, passes it to `use`, and then removes it unless `use` has moved it.
 * A failed or refused upload leaves nothing behind.
 */
export async function withUpload<T>(
  request: IncomingMessage,
  folder: string,
  { beforeFile, use }: UploadSteps<T>,
): Promise<T> {
  const path = join(folder, `${randomUUID()}.part`);
  try {
    return await use(await receive(request, path, folder, beforeFile));
  } finally {
    await rm(path, { force: true });
  }
}

/** Turns a failure of the store or the disk into `unavailable`: the same call may succeed later. */
export async function available<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new DomainError('unavailable', undefined, { retryAfter: 5, cause });
  }
}

/**
 * Creates the folder if it is missing, and removes the files of uploads whose process was killed. Rejects if nobody can write
 * there: otherwise only the first LP with a receipt would notice.
 */
export async function prepareUploads(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await access(folder, constants.W_OK);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // Another process may have finished or removed this upload meanwhile.
    const found = await stat(path, { throwIfNoEntry: false });
    if (found && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true });
  }
}

async function receive(
  request: IncomingMessage,
  path: string,
  folder: string,
  beforeFile: (fields: Upload['fields']) => Promise<void>,
): Promise<Upload> {
  const fields: Record<string, string> = {};
  let field: { name: string; text: Buffer } | undefined;
  let writer: FileWriter | undefined;
  try {
    for await (const event of readMultipart(request, MAX_RECEIPT_BYTES + OVERHEAD_BYTES)) {
      if (event.kind === 'begin') {
        if (event.name === 'file') {
          if (writer) throw new HttpError('bad_multipart', 'Send one file only');
          await beforeFile(fields);
          await available(mkdir(folder, { recursive: true, mode: 0o700 }));
          writer = await available(createWriter(path));
        } else if (event.isFile) throw new HttpError('bad_multipart', 'Send the file in the field "file"');
        else field = { name: event.name, text: Buffer.alloc(0) };
      } else if (event.kind === 'data') {
        if (field) field.text = joined(field.text, event.bytes);
        else await writer?.write(event.bytes);
      } else {
        if (field) fields[field.name] = field.text.toString('utf8');
        else writer?.finish();
        field = undefined;
      }
    }
    return { fields, file: writer?.finish() };
  } finally {
    await writer?.close();
  }
}

function joined(text: Buffer, bytes: Buffer): Buffer {
  if (text.length + bytes.length > MAX_FIELD_BYTES)
    throw new HttpError('bad_multipart', 'A field is too long');
  return Buffer.concat([text, bytes]);
}

interface FileWriter {
  write: (bytes: Buffer) => Promise<void>;
  finish: () => UploadedFile;
  close: () => Promise<void>;
}

/** Writes a file, and throws as soon as the file is too large or its type is not accepted. */
async function createWriter(path: string): Promise<FileWriter> {
  const file: FileHandle = await open(path, 'wx', 0o600);
  let size = 0;
  let head = Buffer.alloc(0);
  const typeOf = (): ReceiptType => {
    const type = receiptType(head);
    if (!type) throw new DomainError('bad_file_type');
    return type;
  };
  return {
    write: async (bytes) => {
      size += bytes.length;
      if (size > MAX_RECEIPT_BYTES) throw new HttpError('payload_too_large');
      if (head.length < RECEIPT_HEAD_BYTES) {
        head = Buffer.concat([head, bytes.subarray(0, RECEIPT_HEAD_BYTES - head.length)]);
        if (head.length === RECEIPT_HEAD_BYTES) typeOf();
      }
      await available(file.appendFile(bytes));
    },
    finish: () => ({ path, size, type: typeOf() }),
    close: () => file.close(),
  };
}
