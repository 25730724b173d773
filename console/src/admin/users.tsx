import type { UserPage } from '../../../src/api/resources/users/schemas.ts';
import { readFilters, useList } from '../list-resource.ts';
import type { Route } from '../route.ts';
import { callApi, isPermitted } from '../session.ts';
import { Field, Form } from '../ui/form.tsx';
import { Paging } from '../ui/paging.tsx';
import { NotPermitted } from '../ui/permitted.tsx';
import { ResourceView } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';

const ROUTE = '/api/admin/users';

/** The users for whom agents make payments. */
export function Users({ route }: { route: Route }) {
  const filters = readFilters(route, ['cursor']);
  const page = useList<UserPage>(ROUTE, filters);
  return (
    <>
      <NotPermitted permission="users:create" />
      {isPermitted('users:create') && (
        <div class="sheet">
          <Form
            submit="Create user"
            send={async ({ name }) => {
              const { id } = await callApi<{ id: number }>('POST', ROUTE, { body: name ? { name } : {} });
              toast({ tone: 'good', text: `User ${id} is created.` });
              await page.reload();
              return 'empty';
            }}
          >
            <Field
              label="Name"
              name="name"
              maxLength={200}
              hint="Optional. Agents refer to a user by its id."
            />
          </Form>
        </div>
      )}
      <ResourceView resource={page} what="the users">
        {({ users, next_cursor }) => (
          <>
            <Table
              caption="Users, newest first"
              columns={[
                { title: 'User', cell: ({ id }) => id },
                { title: 'Name', cell: ({ name }) => name ?? '–' },
                { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
              ]}
              rows={users}
              keyOf={({ id }) => id}
              empty="There are no users yet. Create one above for each person whom agents make payments for."
            />
            <Paging path="users" route={route} filters={filters} next={next_cursor} />
          </>
        )}
      </ResourceView>
    </>
  );
}
