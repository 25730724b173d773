import { PERMISSIONS, type Permission, rolesWith } from '../../../src/domain/permissions.ts';
import { isPermitted } from '../session.ts';
import type { Column } from './table.tsx';

/** Says to an admin of another role why the buttons of a permission are missing, and whom to ask. Otherwise nothing. */
export const NotPermitted = ({ permission }: { permission: Permission }) =>
  isPermitted(permission) ? null : (
    <p class="state">
      Your role may not {PERMISSIONS[permission]}. Ask an admin with the role{' '}
      {rolesWith(permission).join(' or ')}.
    </p>
  );

/** The column of a table's buttons, if the role may use them: `columns={[...COLUMNS, ...ifPermitted('lps:manage', actions)]}`. */
export const ifPermitted = <Row,>(permission: Permission, column: Column<Row>): Column<Row>[] =>
  isPermitted(permission) ? [column] : [];
