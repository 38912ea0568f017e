/** Numbers of the operations that Cloudflare bills, except requests to the Worker itself. */
export interface Counters {
  object_requests: number;
  object_rows_read: number;
  object_rows_written: number;
  d1_rows_read: number;
  d1_rows_written: number;
  r2_writes: number;
  r2_reads: number;
}
