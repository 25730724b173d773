import type { UserPage } from '../../../src/contract/admin.ts';
import { time } from '../format.ts';
import type { Place } from '../route.ts';
import { ask } from '../session.ts';
import { Field, Form } from '../ui/form.tsx';
import { Read } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { toast } from '../ui/toasts.tsx';
import { Paging } from './paging.tsx';
import { filtersOf, useList } from './query.ts';

const ROUTE = '/api/admin/users';

/** Whom payments are made for. */
export function Users({ place }: { place: Place }) {
  const filters = filtersOf(place, ['cursor']);
  const page = useList<UserPage>(ROUTE, filters);
  return (
    <>
      <div class="sheet">
        <Form
          submit="Create the user"
          send={async ({ name }) => {
            const { id } = await ask<{ id: number }>('POST', ROUTE, { body: name ? { name } : {} });
            toast({ tone: 'good', text: `User ${id} is made.` });
            await page.reload();
            return 'empty';
          }}
        >
          <Field
            label="Name"
            name="name"
            maxLength={200}
            hint="May be left out. An agent pays for a user by its id."
          />
        </Form>
      </div>
      <Read resource={page} what="the users">
        {({ users, next_cursor }) => (
          <>
            <Table
              caption="Users, newest first"
              columns={[
                { title: 'User', kind: 'number', cell: ({ id }) => id },
                { title: 'Name', cell: ({ name }) => name ?? '–' },
                { title: 'Created', cell: ({ created_at }) => time(created_at) },
              ]}
              rows={users}
              keyOf={({ id }) => id}
              empty="There is no user yet."
            />
            <Paging path="users" place={place} filters={filters} next={next_cursor} />
          </>
        )}
      </Read>
    </>
  );
}
