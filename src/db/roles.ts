/**
 * The roles of PostgreSQL. The owner runs migrations and owns every table. The service runs API and workers. The reader
 * sees what metrics and checks need, and writes nothing. A role of another name has the rights of one of these if it is a
 * member of it.
 */
export const ROLES = { service: 'corridor_service', reader: 'corridor_reader' } as const;
