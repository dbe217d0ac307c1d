// SPDX-License-Identifier: MIT
// A few threads that share independent pieces of work, each piece always done the same way.
#include <pthread.h>
#include <stdlib.h>

#include "solver/kkt_internal.h"

typedef struct KktTeam {
  int n;              // threads besides the caller
  pthread_t *thread;  // n
  pthread_mutex_t lock;
  pthread_cond_t start, done;
  long round;  // of work given out
  int busy;    // threads still at it
  bool stop;
  Kkt *k;
  int n_item;
  void (*work)(Kkt *k, int i, int thread);
} KktTeam;

typedef struct Member {
  KktTeam *team;
  int number;
} Member;

// every (n + 1)-th chunk of items
static void share(const KktTeam *t, int number) {
  int from = (int)((long)t->n_item * number / (t->n + 1));
  int to = (int)((long)t->n_item * (number + 1) / (t->n + 1));
  for (int i = from; i < to; i++) t->work(t->k, i, number);
}

static void *member(void *arg) {
  Member m = *(Member *)arg;
  free(arg);
  KktTeam *t = m.team;
  long seen = 0;
  pthread_mutex_lock(&t->lock);
  for (;;) {
    while (t->round == seen && !t->stop) pthread_cond_wait(&t->start, &t->lock);
    if (t->stop) break;
    seen = t->round;
    pthread_mutex_unlock(&t->lock);
    share(t, m.number);
    pthread_mutex_lock(&t->lock);
    if (--t->busy == 0) pthread_cond_signal(&t->done);
  }
  pthread_mutex_unlock(&t->lock);
  return NULL;
}

KktTeam *kkt_team_new(int n) {
  KktTeam *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->start, NULL);
  pthread_cond_init(&t->done, NULL);
  t->thread = calloc((size_t)n, sizeof *t->thread);
  for (int i = 0; t->thread && i < n - 1; i++) {
    Member *m = malloc(sizeof *m);
    if (!m) break;
    *m = (Member){t, i + 1};
    if (pthread_create(&t->thread[t->n], NULL, member, m) != 0) {
      free(m);
      break;
    }
    t->n++;
  }
  return t;
}

void kkt_team_free(KktTeam *t) {
  if (!t) return;
  pthread_mutex_lock(&t->lock);
  t->stop = true;
  pthread_cond_broadcast(&t->start);
  pthread_mutex_unlock(&t->lock);
  for (int i = 0; i < t->n; i++) pthread_join(t->thread[i], NULL);
  pthread_cond_destroy(&t->start);
  pthread_cond_destroy(&t->done);
  pthread_mutex_destroy(&t->lock);
  free(t->thread);
  free(t);
}

void kkt_team_run(Kkt *k, int n, void (*work)(Kkt *k, int i, int thread)) {
  KktTeam *t = k->team;
  if (!t || t->n == 0 || n < 2) {
    for (int i = 0; i < n; i++) work(k, i, 0);
    return;
  }
  pthread_mutex_lock(&t->lock);
  t->k = k;
  t->n_item = n;
  t->work = work;
  t->busy = t->n;
  t->round++;
  pthread_cond_broadcast(&t->start);
  pthread_mutex_unlock(&t->lock);
  share(t, 0);
  pthread_mutex_lock(&t->lock);
  while (t->busy > 0) pthread_cond_wait(&t->done, &t->lock);
  pthread_mutex_unlock(&t->lock);
}
